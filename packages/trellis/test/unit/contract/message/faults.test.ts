import { expect, test } from '@jest/globals';
import { contractBroken } from '../../../../src/contract/message/faults.ts';

test.each([
  ['/body/list/0/id', 'must be integer', 'type', 'body.list.0.id must be an integer'],
  ['/body/x', 'must be string,null', 'type', 'body.x must be a string or null'],
  ['/query/x', 'must be integer,null', 'type', 'query.x must be an integer'],
  ['/query/x', 'must be null,integer', 'type', 'query.x must be an integer'],
  ['/body/x', 'must be array', 'type', 'body.x must be an array'],
  ['/path/id', 'must match format "uuid"', 'format', 'path.id must match format "uuid"'],
  ['/headers/x-count', 'must be >= 1', 'minimum', 'header.x-count must be at least 1'],
  ['/body/list', 'must NOT have fewer than 1 items', 'minItems', 'body.list must not have fewer than 1 item'],
  ['/body', 'must NOT have more than 1 properties', 'maxProperties', 'body must not have more than 1 property'],
  ['/body/a~1b~0c', 'must be number', 'type', 'body.a/b~c must be a number'],
  ['/body/\ud800', 'must NOT have unevaluated properties', 'unevaluatedProperties', 'body.\ufffd is not allowed'],
])('contractBroken rewrites the fault "%s %s" for clients', (path, message, keyword, sentence) => {
  const refusal = contractBroken([{ path, message, errorCode: `${keyword}.openapi.validation` }]);
  expect(refusal).toMatchObject({ number: 40010, status: 400, message: sentence });
});

test('contractBroken leaves out that a parameter may be null, beside the other types', () => {
  const faults = ['integer', 'null'].map((type) => ({ path: '/query/x', message: `must be ${type}` }));
  expect(contractBroken(faults).message).toBe('query.x must be integer');
  expect(contractBroken(faults.map((each) => ({ ...each, path: '/body/x' }))).message).toContain('must be null');
});

test.each([
  ['must match pattern "^\\+[0-9]+$"', ' 49', true],
  ['must match pattern "^\\+[0-9]+$"', ' 49x', false],
  ['must match format "email"', 'a b@example.org', true],
  ['must match format "date-time"', 'today and tomorrow', false],
])('contractBroken says how to send a +, only if one was lost: %s, %j', (message, value, isLost) => {
  const fault = { path: '/query/list/0', message, errorCode: 'format.openapi.validation' };
  const said = contractBroken([fault], undefined, { query: { list: [value] } }).message;
  expect(said.endsWith(' (a + is a space in a query: send + as %2B)')).toBe(isLost);
});

test('contractBroken names a fault once when the validator reports it twice', () => {
  const fault = { path: '/body/x', message: 'must be string' };
  expect(contractBroken([fault, fault]).message).toBe('body.x must be string');
});

test('contractBroken cuts the values of a long enum, so that the message fits into each contract', () => {
  const values = Array.from({ length: 5000 }, (_, index) => `Europe/${index}`);
  const faults = Array.from({ length: 40 }, (_, index) => ({
    path: `/body/${Array<string>(31).fill('n'.repeat(500)).join('/')}/${String(index).padEnd(100, 'x')}`,
    message: `must be equal to one of the allowed values: ${values.join(', ')}`,
    errorCode: 'enum.openapi.validation',
  }));
  const { message } = contractBroken(faults);
  expect(message).toMatch(/…; and 30 more$/);
  expect(message.length).toBeLessThanOrEqual(32_768);
});
