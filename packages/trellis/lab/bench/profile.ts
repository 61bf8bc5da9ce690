import type { Profiler } from 'node:inspector';
import { table } from './results.ts';
import { RunningServer, Scratch } from './servers.ts';

const MAX_ROWS = 40;

/**
 * Profiles the service's main thread under load, by module and by function. The time of a function excludes the
 * functions that it calls. Idle time does not count.
 */
export async function profile(load: Parameters<RunningServer['measure']>[0]): Promise<string> {
  using scratch = new Scratch();
  await using running = await RunningServer.start('service', scratch, { environment: { PROFILE: 'yes' } });
  const { answers, profile: measured } = await running.measure(load);
  if (measured === undefined) throw new Error('the server sent no profile');
  const frames = new Map(measured.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [modules, functions] = [new Map<string, number>(), new Map<string, number>()];
  for (const [index, id] of measured.samples?.entries() ?? []) {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === '(idle)') continue;
    // The function in a sample gets the time until the next sample.
    const time = measured.timeDeltas?.[index + 1] ?? 0;
    const module = moduleOf(frame);
    const name = frame.functionName || 'anonymous function';
    add(modules, module, time);
    add(functions, frame.url === '' ? name : `${name}, ${module}:${frame.lineNumber + 1}`, time);
  }
  return `${show('by module', modules, answers)}\n${show('by function', functions, answers)}`;
}

/** Returns the module of a frame: a package, a file of this project, a module of Node, or native code. */
function moduleOf({ url, functionName }: Profiler.ProfileNode['callFrame']): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native functions, and code without a file';
  const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? /\/(src\/[^?]+)/.exec(url) ?? [];
  return name ?? url;
}

function add(times: Map<string, number>, key: string, time: number): void {
  times.set(key, (times.get(key) ?? 0) + time);
}

function show(title: string, times: ReadonlyMap<string, number>, creates: number): string {
  const all = times.values().reduce((sum, time) => sum + time, 0);
  const rows = [...times].sort(([, one], [, other]) => other - one).slice(0, MAX_ROWS);
  const cells = rows.map(([name, time]) => [name, `${((time / all) * 100).toFixed(1)} %`, (time / creates).toFixed(2)]);
  return table(title, ['', 'share', 'µs per create'], [...cells, ['all', '100 %', (all / creates).toFixed(2)]]);
}
