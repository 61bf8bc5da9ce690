import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { ExplainedError, messageOf } from 'trellis-contract/ground';
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

type Stderr = Pick<NodeJS.WriteStream, 'write'>;

/** A file of rejects. It holds what the operator's file held, so only its owner may read it. */
export class Rejects implements Disposable {
  count = 0;
  readonly path: string;
  private file: number | undefined;
  private readonly stderr: Stderr | undefined;

  /**
   * @param atOnce whether to create the file now, so that a wrong path shows before anything is stored; otherwise the
   *   first reject creates it, as most imports need none
   * @throws ExplainedError if the file exists, as the operator may still need it, or cannot be created
   */
  constructor(path: string, { atOnce, stderr }: { readonly atOnce: boolean; readonly stderr: Stderr }) {
    this.path = path;
    this.stderr = path === '/dev/stderr' ? stderr : undefined;
    if (this.stderr !== undefined) return;
    requireAbsent(path, ' with --rejects');
    if (atOnce) this.write('');
  }

  add(rejects: readonly Reject[]): void {
    if (rejects.length === 0) return;
    const lines = rejects.map((reject) => `${JSON.stringify(reject)}\n`).join('');
    this.count += rejects.length;
    // Opening /dev/stderr fails if stderr is a socket, or a pipe of another user.
    if (this.stderr === undefined) this.write(lines);
    else this.stderr.write(lines);
  }

  private write(lines: string): void {
    try {
      this.file ??= openSync(this.path, 'wx', 0o600);
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
    if (this.count === 0) rmSync(this.path);
  }
}
