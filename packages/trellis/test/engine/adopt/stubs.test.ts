import { expect, test } from '@jest/globals';
import { stubsOf } from '../../../tools/stubs/service.ts';
import { documentWith } from '../../support/adopted.ts';

test('stubsOf derives the body of a schema whose examples are no list', async () => {
  const title = { type: 'string', examples: { one: 'Emma' } };
  const yaml = documentWith(['components', 'schemas', 'Book', 'properties', 'title'], title, '3.1.0');
  const { files } = await stubsOf(yaml.replaceAll('Error', 'Mistake'));
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
