import { expect, test } from '@jest/globals';
import { ROOT, start } from '../../support/service.ts';

test('the log counts the lines that it drops while a write waits for the reader of stdout', async () => {
  const lines = 400;
  const script = `
    import { createLog } from './packages/trellis/src/observability/log.ts';
    const { promise: begun, resolve: begin } = Promise.withResolvers();
    const stdout = {
      get fd() {
        begin();
        return process.stdout.fd;
      },
    };
    const log = createLog('info', stdout);
    // More bytes than the pipe of a reader that does not read can hold.
    log.logger.info('x'.repeat(4_000_000));
    // The timers of the log keep no process alive.
    const timer = setInterval(() => undefined, 1000);
    await begun.finally(() => clearInterval(timer));
    for (let sent = 0; sent < ${lines}; sent++) log.logger.info({ text: 'x'.repeat(100_000) }, 'sent');
    console.error('sent');
    for (let tries = 0; tries < 60; tries++) await log.flush();
    console.error(log.dropped());`;
  const { child, ended, stderr, log } = start(process.execPath, ['--input-type=module', '-e', script], {}, ROOT);
  child.stdout?.pause();
  child.stderr?.on('data', () => {
    if (stderr().includes('sent')) child.stdout?.resume();
  });
  expect(await ended).toBe(0);
  const dropped = Number(stderr().split('\n').at(-2));
  expect(dropped).toBeGreaterThan(0);
  expect(log().filter(({ msg }) => msg === 'sent')).toHaveLength(lines - dropped);
  const told = log().map((line) => (String(line['msg']).startsWith('log lines were dropped') ? line['lines'] : 0));
  expect(told.reduce((sum: number, each) => sum + Number(each), 0)).toBe(dropped);
});
