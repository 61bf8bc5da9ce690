import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { inTime } from '../../support/in-time.ts';
import { noSmallDisk, UNSHARE } from '../../support/small-disk.ts';
import { sample } from '../../support/metrics.ts';
import { freePort } from '../../support/port.ts';
import { testWith } from '../../../../contract/test/support/skipping.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { until } from '../../support/until.ts';
import { createItem, ITEMS, ROOT, start, type Started, startService } from '../../support/service.ts';

const TOKEN = 'a'.repeat(43);

/** Starts a service whose stdout a shell redirects, so that the test cannot read the log. */
async function serviceLoggingTo(redirection: string, prepare = '', wrapper: readonly string[] = []) {
  const folder = temporaryFolder();
  const [port, adminPort] = [String(await freePort()), String(await freePort())];
  writeFileSync(join(folder, 'token'), TOKEN);
  const script = `${prepare} exec "$@" ${redirection}`;
  const serve = [process.execPath, ITEMS.main, 'serve'];
  const [command = '', ...args] = [...wrapper, 'bash', '--norc', '-c', script, 'bash', ...serve];
  const environment = {
    PORT: port,
    ADMIN_PORT: adminPort,
    TOKEN_FILE: join(folder, 'token'),
    DATABASE_URL: `sqlite:${join(folder, 'items.db')}`,
  };
  const started = start(command, args, environment, ROOT);
  const admin = `http://127.0.0.1:${adminPort}`;
  await until(async () => (await fetch(`${admin}/readyz`).catch(() => undefined))?.status === 200);
  const dropped = async () =>
    Number(sample(await (await fetch(`${admin}/metrics`)).text(), 'item_store_log_lines_dropped_total'));
  return { ...started, url: `http://127.0.0.1:${port}`, admin, dropped, token: TOKEN };
}

async function create(service: { readonly url: string; readonly token: string }, count: number, from = 0) {
  for (let id = from; id < from + count; id++) {
    const { status } = await createItem(service, `{"id":${id},"name":"Ginkgo"}`);
    expect(status).toBe(200);
  }
}

/** Sends SIGTERM once or twice, and returns the milliseconds until the process ends. */
async function timeToEnd({ child }: Pick<Started, 'child'>, signals = 1): Promise<number> {
  const gone = once(child, 'exit').then(() => performance.now());
  const begun = performance.now();
  child.kill('SIGTERM');
  if (signals > 1) await sleep(1200);
  if (signals > 1) child.kill('SIGTERM');
  const late = AbortSignal.timeout(15_000);
  late.addEventListener('abort', () => child.kill('SIGKILL'));
  return (await gone) - begun;
}

/** Starts a service whose log has no reader, and makes it log more than a pipe holds. */
async function stalledService() {
  const service = await startService();
  service.child.stdout?.pause();
  for (let round = 0; round < 200; round++) {
    const path = `${service.url}/${'x'.repeat(200)}`;
    await Promise.all(Array.from({ length: 20 }, async () => (await fetch(path)).arrayBuffer()));
  }
  await sleep(1000);
  await create(service, 10);
  return service;
}

test.each([
  ['within 10 s after one SIGTERM', 1, 10_000],
  ['within 3 s after two SIGTERM', 2, 3000],
])('a service whose log has no reader answers, and ends %s', async (_, signals, withinMs) => {
  await inTime(async () => {
    expect(await timeToEnd(await stalledService(), signals)).toBeLessThan(withinMs);
  });
});

test.each([
  ['a full disk', '> /dev/full'],
  ['the same full disk as stderr', '> /dev/full 2>&1'],
  ['a pipe without a reader', '> >(true)'],
])('a service answers, counts dropped log lines and ends on SIGTERM when its stdout is %s', async (_, redirection) => {
  await inTime(async () => {
    const service = await serviceLoggingTo(redirection);
    await create(service, 20);
    await until(async () => (await service.dropped()) >= 20);
    expect((await fetch(`${service.admin}/livez`)).status).toBe(200);
    expect(await timeToEnd(service)).toBeLessThan(10_000);
  });
});

testWith(noSmallDisk, 'a service logs how many lines it dropped once the disk of its log has room again', async () => {
  const disk = temporaryFolder();
  const mount = `mount -t tmpfs -o size=64k tmpfs '${disk}' && head -c 32768 /dev/zero > '${disk}/ballast';`;
  const service = await serviceLoggingTo(`>> '${disk}/log'`, mount, ['unshare', ...(UNSHARE ?? [])]);
  const path = (name: string) => join('/proc', String(service.child.pid), 'root', disk, name);
  const lines = () => readFileSync(path('log'), 'utf8').split('\n').slice(0, -1);
  const isNotice = (line: string) => line.includes('log lines were dropped');
  await create(service, 200);
  await until(async () => (await service.dropped()) > 50);
  expect(lines().some(isNotice)).toBe(false);
  rmSync(path('ballast'));
  await until(() => lines().some(isNotice));
  await create(service, 10, 200);
  const whole = () => lines().filter((line) => line.includes('"msg":"request"') && line.endsWith('}')).length;
  await until(async () => whole() + (await service.dropped()) === 210);
  const said = lines();
  const dropped = await service.dropped();
  const notice = { level: 'warn', lines: dropped, msg: 'log lines were dropped: stdout could not be written' };
  expect(said.filter(isNotice).map((line) => JSON.parse(line) as unknown)).toEqual([expect.objectContaining(notice)]);
  // Every line is complete, except for at most one that the service could not finish because the disk was full.
  const torn = said.filter((line) => !line.endsWith('}'));
  expect(torn.length).toBeLessThan(2);
});

test('a service whose log has no reader does not keep all log lines in memory', async () => {
  const script = `
    import { createLog } from './packages/trellis/src/observability/log.ts';
    const log = createLog('info', process.stdout);
    const line = { path: 'x'.repeat(1000) };
    for (let round = 0; round < 120; round++) {
      for (let count = 0; count < 1000; count++) log.request(line);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    gc();
    console.error(process.memoryUsage().rss, log.dropped());
    process.kill(process.pid, 'SIGKILL');`;
  const args = ['--expose-gc', '--input-type=module', '-e', script];
  const { child, ended, stderr } = start(process.execPath, args, {}, ROOT);
  child.stdout?.pause();
  await once(child, 'exit');
  child.stdout?.resume();
  await ended;
  const [rss, dropped] = stderr().trim().split(' ').map(Number);
  expect(dropped).toBeGreaterThan(50_000);
  expect(Number(rss) / 2 ** 20).toBeLessThan(160);
});
