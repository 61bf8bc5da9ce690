import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { ExplainedError, messageOf } from '../explained-error.ts';
import { requireAbsent } from './new-file.ts';

/** A record that was not stored. */
export interface Reject {
  readonly line: number;
  /** The error number and the message that a client would get. */
  readonly error: number;
  readonly message: string;
  readonly text?: string;
  /** Instead of `text`, the beginning of a record that is too large or is not UTF-8. */
  readonly excerpt?: string;
}

/** The file of rejects, which the first reject creates. */
export class Rejects implements Disposable {
  count = 0;
  readonly path: string;
  private file: number | undefined;
  private readonly isStderr: boolean;

  /** @throws ExplainedError if the file exists, as the operator may still need it */
  constructor(path: string) {
    this.path = path;
    this.isStderr = path === '/dev/stderr';
    if (!this.isStderr) requireAbsent(path, ' with --rejects');
  }

  add(rejects: readonly Reject[]): void {
    if (rejects.length === 0) return;
    const lines = rejects.map((reject) => `${JSON.stringify(reject)}\n`).join('');
    this.count += rejects.length;
    if (this.isStderr) {
      // Opening /dev/stderr fails if stderr is a socket, or a pipe of another user.
      process.stderr.write(lines);
      return;
    }
    try {
      this.file ??= openSync(this.path, 'wx');
      // Unlike writeSync, this writes all bytes or throws, even if the disk is almost full.
      writeFileSync(this.file, lines);
    } catch (error) {
      const reason = `${messageOf(error)}; name another file with --rejects, such as /dev/stderr`;
      throw new ExplainedError(`the file of rejects ${this.path} cannot be written: ${reason}`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    if (this.file === undefined) return;
    fsyncSync(this.file);
    closeSync(this.file);
  }
}
