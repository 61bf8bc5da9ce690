import { runInThisContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { stub, stubsIn } from '../../../src/stub.ts';
import type { AnyService } from '../../../src/service.ts';
import { literal } from '../../../tools/stubs/literals.ts';
import { namesOf } from '../../../tools/stubs/names.ts';

test('namesOf makes a unique name for a function and a file from each operationId', () => {
  const ids = ['getBed', 'get-api-v2-user', 'delete', '404', 'GETBED', 'index', '', 'ü', 'beds.list/all', 'URL'];
  expect(namesOf(ids)).toEqual([
    ...['getBed', 'getApiV2User', 'operationDelete', 'operation404', 'GETBED2', 'index2', 'operation', 'operation2'],
    ...['bedsListAll', 'operationURL'],
  ]);
});

test('namesOf cuts long names, which no file system takes, and keeps them apart', () => {
  const [one = '', other = ''] = namesOf(['a'.repeat(300), 'a'.repeat(301)]);
  expect([one.length, other]).toEqual([80, `${one}2`]);
});

test('literal writes an expression of the same value', () => {
  const value = {
    'a-b': [1n, -2.5, null, true, []],
    ...{ true: true, null: null, false: 'false', 5: 5, '5n': 5n },
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
  const left = stub(new Error('write it'));
  await expect(left()).rejects.toThrow('write it');
  const operations = { ping, left, other: () => Promise.resolve({ status: 204 }) };
  expect(stubsIn({ operations } as unknown as AnyService)).toEqual(['ping', 'left']);
});
