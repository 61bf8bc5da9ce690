import { expect, test } from '@jest/globals';
import { stubsOf } from '../../../tools/stubs/service.ts';
import { documentWith } from '../../../../contract/test/support/adopted.ts';

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
    [],
  ]);
});

const media = (schema: object) => ({ 'application/json': { schema } });

test('stubsOf lets a stub without a reply answer 500, and tells why, with the place', async () => {
  const responses = {
    '201': { description: 'Added', content: media({ type: 'string', pattern: '^(?=b)a' }) },
    default: { description: 'Failed', content: media({}) },
  };
  const yaml = documentWith(['paths', '/books', 'post', 'responses'], responses, '3.1.0');
  const { files, left } = await stubsOf(yaml.replaceAll('Error', 'Mistake'));
  const why = 'no body of the reply 201 could be derived: give it an example, or write the operation';
  expect(files['service/addBook.ts']).toContain(`addBook = stub<Reply<'addBook'>>(new Error('${why}'));`);
  expect(left).toEqual([
    expect.stringMatching(`^service/addBook\\.ts answers 500: openapi\\.yaml:\\d+:\\d+, post /books: ${why}$`),
    'test/operations.test.ts sends no request of addBook: add one of each as you write it',
  ]);
});

test('stubsOf lets a stub answer 500 if the contract has no success by its number', async () => {
  const responses = { default: { description: 'Any', content: media({}) } };
  const yaml = documentWith(['paths', '/books', 'post', 'responses'], responses, '3.1.0');
  const { files } = await stubsOf(yaml.replaceAll('Error', 'Mistake'));
  expect(files['service/addBook.ts']).toContain("(new Error('no success has its status by its number: ");
});

test('stubsOf tells which operation its test sends no request of, as none is valid', async () => {
  const closed = (name: string) => ({
    ...{ type: 'object', additionalProperties: false, required: [name], properties: { [name]: { type: 'string' } } },
  });
  const body = { required: true, content: media({ allOf: [closed('a'), closed('b')] }) };
  const yaml = documentWith(['paths', '/books', 'post', 'requestBody'], body, '3.1.0');
  const { files, left } = await stubsOf(yaml.replaceAll('Error', 'Mistake'));
  expect(files['test/operations.test.ts']).not.toContain("operation: 'addBook'");
  expect(left).toEqual(['test/operations.test.ts sends no request of addBook: add one of each as you write it']);
});
