import { ofProcess } from '../environment.ts';
import { writeStdout } from '../observability/stdout.ts';
import type { AnyService } from '../service.ts';
import type { Io } from './io.ts';
import { main } from './main.ts';

/** The io of this process. */
const PROCESS_IO: Io = {
  environment: ofProcess,
  cwd: process.cwd(),
  // Each of them is opened by its first use, and changes how the process ends.
  get stdin() {
    return process.stdin;
  },
  stdout: {
    get isTTY() {
      return process.stdout.isTTY;
    },
    get columns() {
      return process.stdout.columns;
    },
    write: writeStdout,
  },
  get stderr() {
    return process.stderr;
  },
  events: process,
  exit: (code) => {
    process.exit(code);
  },
  send: process.send?.bind(process),
};

/** Runs the command line of this process, and sets its exit code. */
export async function run(service: AnyService): Promise<void> {
  process.exitCode = await main(service, process.argv.slice(2), PROCESS_IO);
}
