import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createItem, startService } from '../support/service.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';

const newStore = () => ({ PORT: '0', DATABASE_URL: `sqlite:${join(temporaryFolder(), 'items.db')}` });
const BODY = '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}';

describe('the service', () => {
  test('keeps an acknowledged item when it is killed', async () => {
    const environment = newStore();
    const service = await startService(environment);
    expect((await createItem(service, BODY)).status).toBe(200);
    service.child.kill('SIGKILL');
    expect(await service.ended).toBe('SIGKILL');
    const again = await startService(environment);
    const response = await createItem({ url: again.url, token: service.token }, BODY);
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    await again.stop();
  });

  test('creates one first token when two instances start at once on an empty store', async () => {
    const environment = newStore();
    const services = await Promise.all(Array.from({ length: 2 }, () => startService(environment)));
    const tokens = services.map(({ token }) => token).filter((token) => token !== '');
    expect(tokens).toHaveLength(1);
    const answers = services.map(({ url }) => createItem({ url, token: tokens[0] ?? '' }, BODY));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await Promise.all(services.map(({ stop }) => stop()))).toEqual([0, 0]);
  });
});
