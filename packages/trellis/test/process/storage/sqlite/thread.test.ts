import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { createItem, ROOT, startService } from '../../../support/service.ts';

const FAILING = { NODE_OPTIONS: `--import=${new URL('failing-thread.ts', import.meta.url).href}` };

test('ends the process and acknowledges nothing if the writing thread fails', async () => {
  const service = await startService(FAILING);
  expect((await createItem(service, '{"id":1,"name":"x"}')).status).toBe(200);
  const lost = createItem(service, '{"id":2,"name":"ends the thread"}').then(
    ({ status }) => status,
    () => 'no answer',
  );
  expect([503, 'no answer']).toContain(await lost);
  await service.ended;
  expect(service.child.signalCode).toBe('SIGKILL');
  expect(service.log().find(({ level }) => level === 'fatal')).toMatchObject({
    err: { message: expect.stringContaining('the heap is full') },
  });
});

test('reads in another thread after a reading thread has failed', async () => {
  const main = fileURLToPath(new URL('../../http/running-operation-main.ts', import.meta.url));
  const service = await startService(FAILING, ROOT, main);
  const create = async (name: string) => (await createItem(service, JSON.stringify({ id: 1, name }))).status;
  expect(await create('reads what ends the thread')).toBe(503);
  expect([await create('reads'), await create('reads')]).toEqual([200, 200]);
  expect(await service.stop()).toBe(0);
});
