import { runInThisContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { stub, stubsIn, type AnyService } from '../../../src/service.ts';
import { literal } from '../../../tools/stubs/literals.ts';
import { namesOf } from '../../../tools/stubs/names.ts';

test('namesOf makes a unique name for a function and a file from each operationId', () => {
  const ids = ['getBed', 'get-api-v2-user', 'delete', '404', 'GETBED', 'index', '', 'ü', 'beds.list/all', 'URL'];
  expect(namesOf(ids)).toEqual([
    ...['getBed', 'getApiV2User', 'operationDelete', 'operation404', 'GETBED2', 'index2', 'operation', 'operation2'],
    ...['bedsListAll', 'operationURL'],
  ]);
});

test('literal writes an expression of the same value', () => {
  const value = {
    'a-b': [1n, -2.5, null, true, []],
    c: "it's\u2028\n",
    long: Array.from({ length: 40 }, (_, index) => ({ index })),
    ...(JSON.parse('{"__proto__": 9007199254740991}') as object),
  };
  const read = runInThisContext(`(${literal(value)})`) as object;
  expect(structuredClone(read)).toEqual(value);
  expect(Object.hasOwn(read, '__proto__')).toBe(true);
});

test('stubsIn names the operations that are stubs', async () => {
  const ping = stub<{ status: 204 }>({ status: 204 });
  expect(await ping()).toEqual({ status: 204 });
  const operations = { ping, other: () => Promise.resolve({ status: 204 }) };
  expect(stubsIn({ operations } as unknown as AnyService)).toEqual(['ping']);
});
