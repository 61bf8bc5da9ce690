import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { ExplainedError, messageOf } from '../explained-error.ts';
import { requireAbsent } from './new-file.ts';

/** A record that is not stored. */
export interface Reject {
  /** The line at which it begins. */
  readonly line: number;
  /** The error number and the message that a client would have got for it. */
  readonly error: number;
  readonly message: string;
  /** The record as it stands in the file. */
  readonly text?: string;
  /** Instead, where that cannot be told (it is too large, or no UTF-8): about how it begins. */
  readonly excerpt?: string;
}

/** The file that says which records were not stored, and why; it is made only if there are any. */
export class Rejects implements Disposable {
  count = 0;
  readonly path: string;
  private file: number | undefined;
  private readonly isStderr: boolean;

  /** @throws ExplainedError if the file exists: what it says was not looked at yet */
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
      // Opened by its name, a socket or a pipe of another user would be refused.
      process.stderr.write(lines);
      return;
    }
    try {
      this.file ??= openSync(this.path, 'wx');
      // All of it, or an error: one write may stop short where the disk is almost full.
      writeFileSync(this.file, lines);
    } catch (error) {
      const reason = `${messageOf(error)}; --rejects names another one, such as /dev/stderr`;
      throw new ExplainedError(`the file of rejects ${this.path} cannot be written: ${reason}`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    if (this.file === undefined) return;
    fsyncSync(this.file);
    closeSync(this.file);
  }
}
