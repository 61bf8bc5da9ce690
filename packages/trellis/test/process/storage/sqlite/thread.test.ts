import { expect, test } from '@jest/globals';
import { createItem, startService } from '../../../support/service.ts';

test('ends the process and acknowledges nothing if the writing thread fails', async () => {
  const service = await startService({
    NODE_OPTIONS: `--import=${new URL('failing-thread.ts', import.meta.url).href}`,
  });
  expect((await createItem(service, '{"id":1,"name":"x"}')).status).toBe(200);
  const lost = createItem(service, '{"id":2,"name":"ends the thread"}').then(
    ({ status }) => status,
    () => 'no answer',
  );
  expect([503, 'no answer']).toContain(await lost);
  expect(await service.ended).toBe(1);
  expect(service.log().find(({ level }) => level === 'fatal')).toMatchObject({
    err: { message: expect.stringContaining('the heap is full') },
  });
});
