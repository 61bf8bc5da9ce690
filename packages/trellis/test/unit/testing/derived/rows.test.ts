import { expect, test } from '@jest/globals';
import { loadContract } from 'trellis-contract';
import { isCreation } from '../../../../testing/derived/rows.ts';

const typed = (schema: object) => ({ schema });
const withId = typed({ type: 'object', properties: { id: { type: 'string' } } });
const withoutId = typed({ type: 'object', properties: { text: { type: 'string' } } });
const text = typed({ type: 'string' });

test.each([
  ['a PUT with it in the body', true, 'put', { 'application/json': withId }],
  ['a PUT whose body may also be a text', true, 'put', { 'application/json': withId, 'text/plain': text }],
  ['a PUT without it', false, 'put', { 'application/json': withoutId, 'text/plain': text }],
  ['a PATCH with it, which changes a row', false, 'patch', { 'application/json': withId }],
])('of %s, derive says whether clients choose the key: %s', async (_what, is, method, content) => {
  const description = 'a note';
  const responses = { 204: { description }, default: { description } };
  const operation = { operationId: 'keepNote', requestBody: { content }, responses };
  const paths = { '/notes': { [method]: operation } };
  const yaml = JSON.stringify({ openapi: '3.1.0', info: { title: 'Notes', version: '1.0.0' }, paths });
  const { operations, document } = await loadContract(yaml);
  expect(operations.map((each) => isCreation(each, document, 'id'))).toEqual([is]);
});
