import { runInThisContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { stub, stubsIn, type AnyService } from '../../../src/service.ts';
import { literal } from '../../../tools/stubs/literals.ts';
import { namesOf, stubsOf } from '../../../tools/stubs/service.ts';
import { adopted, documentWith } from '../../support/adopted.ts';

test('namesOf makes a name of its own of any operationId, for a function and a file', () => {
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

test('stubsOf derives the body of a schema whose examples are no list', async () => {
  const title = { type: 'string', examples: { one: 'Emma' } };
  const { text } = adopted(documentWith(['components', 'schemas', 'Book', 'properties', 'title'], title, '3.1.0'));
  const { files } = await stubsOf(text);
  expect(files['service/addBook.ts']).toContain('status: 201, body: { title: ');
});

test('stubsOf drafts an errorBody that differs by status, where the contract does', async () => {
  const shape = (name: string) => ({
    description: 'Failed',
    content: {
      'application/json': { schema: { type: 'object', required: [name], properties: { [name]: { type: 'string' } } } },
    },
  });
  const responses = {
    '201': { description: 'Added' },
    '404': shape('detail'),
    '401': shape('reason'),
    default: shape('detail'),
  };
  const yaml = documentWith(['paths', '/books', 'post', 'responses'], responses, '3.1.0');
  const { files, left } = await stubsOf(yaml.replaceAll('Error', 'Mistake'));
  expect([files['service/errorBody.ts'], left]).toEqual([
    expect.stringContaining('return [401].includes(status) ? { reason: message } : { detail: message };'),
    undefined,
  ]);
});
