import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createItem, ITEMS, listening, ROOT, start } from '../../test/support/service.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';
import { until } from '../../test/support/until.ts';

/** A report of one thread, as V8 writes it to the folder NODE_V8_COVERAGE. */
interface Report {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

const USAGE = `npm run trace    the files of both packages of which a function runs for one create on SQLite, with their lines`;
const TOKEN = 'the-token-of-this-service-0123456';
/** The thread that answers, and the one that writes. */
const THREADS = 2;
const PACKAGES = `file://${ROOT}packages/`;

const folder = temporaryFolder();
const reports = join(folder, 'reports');
const tokens = join(folder, 'tokens');

/** Makes each thread report its coverage since the last call, and returns the source files that ran. */
async function ran(child: { kill(signal: 'SIGUSR2'): boolean }): Promise<string[]> {
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports);
  child.kill('SIGUSR2');
  const names = (end: string) => readdirSync(reports).filter((name) => name.endsWith(end));
  await until(() => names('.done').length === THREADS);
  const files = names('.json')
    .map((name) => JSON.parse(readFileSync(join(reports, name), 'utf8')) as Report)
    .flatMap(({ result }) => result)
    .filter(({ functions }) => functions.some(({ ranges: [range] }) => range !== undefined && range.count > 0));
  return [...new Set(files.map(({ url }) => url))]
    .filter((url) => url.startsWith(PACKAGES) && url.includes('/src/'))
    .toSorted();
}

if (process.argv.length > 2) {
  console.log(USAGE);
  process.exit();
}
writeFileSync(tokens, `${TOKEN}\n`, { mode: 0o600 });
const environment = {
  PORT: '0',
  DATABASE_URL: `sqlite:${join(folder, 'store.db')}`,
  TOKEN_FILE: tokens,
  NODE_V8_COVERAGE: reports,
  NODE_OPTIONS: `--import=${new URL('trace-hook.ts', import.meta.url).href}`,
};
const service = start(process.execPath, [ITEMS.main, 'serve'], environment, ROOT);
const url = await listening(service);
for (const id of [1, 2]) {
  await createItem({ url, token: TOKEN }, `{"id":${id},"name":"x","tag":"y"}`);
  // The line of the log is written a moment later.
  await until(() => service.stdout().split('"operation":"createItem"').length > id);
  // The first create also runs code that later creates do not run.
  if (id === 1) await ran(service.child);
}
const files = (await ran(service.child)).map((file) => {
  const lines = readFileSync(new URL(file), 'utf8').split('\n').length - 1;
  return { file: file.slice(PACKAGES.length), lines };
});
service.child.kill('SIGTERM');
await service.ended;
for (const { file, lines } of files) console.log(`${String(lines).padStart(5)}  ${file}`);
console.log(`${files.length} files, ${files.reduce((sum, { lines }) => sum + lines, 0)} lines`);
