import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { atEnd } from '../../../contract/test/support/temporary.ts';

/**
 * A program that reads `+ PID` and `- PID`. When its input ends, it kills the processes that are left, and all that these
 * have started. Its input ends with this process, even if that is killed. After `server FOLDER` it first stops the
 * PostgreSQL server of this folder in order, as a kill leaves shared memory behind, and at last removes the folder.
 */
const KEEPER = `
kill_tree() {
  kill -STOP "$1"
  for child in $(cat "/proc/$1/task/$1/children" || pgrep -P "$1"); do kill_tree "$child"; done
  kill -KILL "$1"
}
left=' ' folder=
while read -r sign pid; do
  case $sign in
    +) left="$left$pid " ;;
    -) left="\${left%% $pid *} \${left#* $pid }" ;;
    server) folder=$pid ;;
  esac
done
if [ -n "$folder" ] && read -r pid < "$folder/data/postmaster.pid"; then
  kill -QUIT "$pid"
  for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -e "$folder/data/postmaster.pid" ] && sleep 0.1
  done
fi
for pid in $left; do kill_tree "$pid"; done
[ -z "$folder" ] || rm -rf "$folder"`;

let keeper: ReturnType<typeof startKeeper> | undefined;
atEnd(async () => {
  const ended = keeper;
  keeper = undefined;
  if (ended?.exitCode !== null) return;
  ended.ref();
  ended.stdin.end();
  await once(ended, 'exit');
});

/**
 * Ends a process, and all that it has started, at the end of the test file or with this process.
 *
 * @param server the folder, if it is a PostgreSQL server that is to be removed then
 */
export function endWithFile(child: ChildProcess, server?: string): void {
  const { pid } = child;
  // The program could not be started.
  if (pid === undefined) return;
  keeper ??= startKeeper();
  keeper.stdin.write(`+ ${pid}\n`);
  if (server !== undefined) keeper.stdin.write(`server ${server}\n`);
  child.once('exit', () => keeper?.stdin.write(`- ${pid}\n`));
}

function startKeeper() {
  // In a session of its own, which Ctrl-C does not reach.
  const started = spawn('sh', ['-c', KEEPER], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  started.unref();
  if (started.stdin instanceof Socket) started.stdin.unref();
  return started;
}
