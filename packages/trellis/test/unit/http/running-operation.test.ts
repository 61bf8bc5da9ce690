import { expect, test } from '@jest/globals';
import { asOperation } from '../../../src/http/running-operation.ts';
import { currentPlace } from '../../../src/place.ts';
import type { Tools } from '../../../src/service.ts';
import { Turns } from '../../../src/storage/turns.ts';

test('a handler knows its operation, and takes the turns of its caller, with a token or without', async () => {
  const turns = new Turns(1, Infinity);
  const order: string[] = [];
  const named = (name: string) => ({ key: name, name, subject: undefined, scopes: new Set<string>() });
  const call = asOperation('askGate', async (request) => {
    const { name } = request.path as { readonly name: string };
    await turns.run(() => Promise.resolve(order.push(`${name} ${String(currentPlace()?.operation)}`)));
    return { status: 204 };
  });
  const [one, other] = [named('one'), named('other')];
  const ask = (caller: typeof one | undefined, key: string, name: string) =>
    call({ caller, key }, { path: { name }, query: {}, header: {}, body: undefined }, {} as Tools);
  await Promise.all([
    ...['a', 'b', 'c', 'd'].map((name) => ask(one, one.key, name)),
    ask(other, other.key, 'e'),
    ask(undefined, 'address 127.0.0.1', 'f'),
    ask(undefined, 'address 127.0.0.1', 'g'),
  ]);
  expect(order.map((each) => each.replace(' askGate', ''))).toEqual(['a', 'b', 'e', 'f', 'c', 'g', 'd']);
});
