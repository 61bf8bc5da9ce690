import { expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { stringify } from 'yaml';
import { plugin } from '../../../tools/lint-rules.ts';

const UUID = { type: 'string', format: 'uuid' };
const SMALL = { ...UUID, pattern: '^[0-9a-f-]{36}$' };

/** A contract with such schemas in a path, a query, a body and a reply. */
const contractOf = (path: object, query: object, body: object, reply: object) => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1.0.0' },
    paths: {
      '/notes/{id}': {
        put: {
          parameters: [
            { name: 'id', in: 'path', required: true, schema: path },
            { name: 'of', in: 'query', schema: query },
          ],
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } } },
          responses: { '200': { description: 'Put', content: { 'application/json': { schema: reply } } } },
        },
      },
    },
    components: { schemas: { Note: { type: 'object', properties: { id: body, others: { items: body } } } } },
  };
  return stringify(document, { aliasDuplicateObjects: false });
};

async function problemsOf(source: string): Promise<string[]> {
  const config = await createConfig({ plugins: [plugin], rules: { 'own/uuid-spelling': 'warn' } });
  return (await lintFromString({ source, config })).map(({ message }) => message);
}

test.each([
  ['warns once of all UUIDs of paths and bodies', [UUID, UUID, UUID, UUID], ['3 schemas have format uuid, ']],
  ['warns of a UUID in a path', [UUID, {}, {}, {}], ['1 schema has format uuid, ']],
  ['accepts a UUID of a pattern, a query or a reply', [SMALL, UUID, SMALL, UUID], []],
] as const)('the linter %s', async (_, [path, query, body, reply], messages) => {
  const starts = messages.map((each) => expect.stringContaining(each));
  expect(await problemsOf(contractOf(path, query, body, reply))).toEqual(starts);
});
