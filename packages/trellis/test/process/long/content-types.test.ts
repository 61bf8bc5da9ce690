import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { createItem, startService } from '../../support/service.ts';

const BODY = '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}';

test('the service uses no more memory after clients have sent 3,000 different content types', async () => {
  // With this flag the heap of a new process grows in small steps.
  const service = await startService({ NODE_OPTIONS: '--max-semi-space-size=2' });
  const status = `/proc/${String(service.child.pid)}/status`;
  const sendAll = async (contentType: (index: number) => string) => {
    for (let first = 0; first < 3000; first += 50) {
      const types = Array.from({ length: 50 }, (_, index) => contentType(first + index));
      await Promise.all(types.map((type) => createItem(service, BODY, { 'Content-Type': type })));
    }
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1]) / 1024;
  };
  for (let round = 0; round < 4; round++) await sendAll(() => 'application/json');
  const before = await sendAll(() => 'application/json');
  const after = await sendAll((index) => `application/json; v=${index}`);
  // Keeping one validator per type would take 95 MB. Memory that the system has not yet taken back is some 20 MB.
  expect(after - before).toBeLessThan(50);
  await service.stop();
});
