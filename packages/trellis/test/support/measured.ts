import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';

// For `npm run t -- --measure` (scripts/measure.ts): what each test file runs. V8 counts in this thread, and Node writes what
// V8 has counted in threads and processes when these end.

let session: Promise<Session> | undefined;

async function connect(): Promise<Session> {
  const made = new Session();
  made.connect();
  await made.post('Profiler.enable');
  await made.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return made;
}

/** The processor time of this process and of the children that have ended, in seconds. */
function spent(): number {
  const stat = '/proc/self/stat';
  if (!existsSync(stat)) return process.cpuUsage().user / 1e6;
  const fields = readFileSync(stat, 'utf8').replace(/.*\) /, '').split(' ');
  // utime, stime, cutime and cstime, in ticks.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

/** Measures a test file. @returns a function that ends it */
export async function measure(test: string, into: string): Promise<() => Promise<void>> {
  const profiler = await (session ??= connect());
  const folder = join(into, test.replaceAll('/', '+'));
  mkdirSync(folder);
  process.env['NODE_V8_COVERAGE'] = folder;
  await profiler.post('Profiler.takePreciseCoverage');
  const begun = spent();
  return async () => {
    const { result } = await profiler.post('Profiler.takePreciseCoverage');
    writeFileSync(join(folder, 'coverage-here.json'), JSON.stringify({ result }));
    writeFileSync(join(folder, 'test.json'), JSON.stringify({ test, seconds: spent() - begun }));
  };
}
