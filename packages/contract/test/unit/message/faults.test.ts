import { expect, test } from '@jest/globals';
import { ContractBroken } from '../../../src/message/faults.ts';
import { receiver } from '../values.ts';

test.each([
  ['/body/list/0/id', 'type', 'integer', '', 'body.list.0.id must be an integer'],
  ['/body/x', 'type', ['string', 'null'], '', 'body.x must be a string or null'],
  ['/query/x', 'type', ['integer', 'null'], '', 'query.x must be an integer'],
  ['/query/x', 'type', ['null', 'integer'], '', 'query.x must be an integer'],
  ['/body/x', 'type', 'array', '', 'body.x must be an array'],
  ['/path/id', 'format', 'uuid', 'must match format "uuid"', 'path.id must match format "uuid"'],
  ['/headers/x-count', 'minimum', 1n, 'must be at least 1', 'header.x-count must be at least 1'],
  ['/body/list', 'minItems', 1, 'must NOT have fewer than 1 items', 'body.list must not have fewer than 1 item'],
  ['/body', 'maxProperties', 1, 'must NOT have more than 1 properties', 'body must not have more than 1 property'],
  ['/body/a~1b~0c', 'type', 'number', '', 'body.a/b~c must be a number'],
  ['/body/\ud800', 'unevaluatedProperties', undefined, '', 'body.\ufffd is not allowed'],
])(
  'ContractBroken words the fault at "%s" of the keyword %s with the value %j',
  (path, keyword, wanted, message, sentence) => {
    const refusal = new ContractBroken([{ path, keyword, wanted, message }]);
    expect(refusal).toMatchObject({ number: 40010, status: 400, message: sentence });
  },
);

test('ContractBroken names the types of a parameter without null', () => {
  const faults = ['integer', 'null'].map((type) => ({ path: '/query/x', keyword: 'type', wanted: type, message: '' }));
  expect(new ContractBroken(faults).message).toBe('query.x must be an integer');
  expect(new ContractBroken(faults.map((each) => ({ ...each, path: '/body/x' }))).message).toContain('must be null');
});

test.each([
  ['pattern', '^\\+[0-9]+$', ' 49', true],
  ['pattern', '^\\+[0-9]+$', ' 49x', false],
  ['format', 'email', 'a b@example.org', true],
  ['format', 'date-time', 'today and tomorrow', false],
])('ContractBroken says how to send a +, only if one was lost: %s %s, %j', (keyword, wanted, value, isLost) => {
  const fault = { path: '/query/list/0', keyword, wanted, message: '' };
  const said = new ContractBroken([fault], { query: { list: [value] } }).message;
  expect(said.endsWith(' (a + is a space in a query: send + as %2B)')).toBe(isLost);
});

test('a refusal has the message that the contract gives beside the pattern, or else that of the validator', async () => {
  const pattern = '^a$';
  const receive = await receiver({
    body: {
      properties: {
        one: { pattern, 'x-pattern-message': 'must be the letter a, NOT another' },
        two: { type: ['string', 'integer'], pattern, 'x-pattern-message': 'must be a' },
        three: { pattern },
      },
    },
  });
  expect(() => receive('', '{"one":"b","two":"b","three":"b"}')).toThrow(
    'body.one must be the letter a, NOT another; body.two must be a; body.three must match pattern "^a$"',
  );
  expect(receive('', '{"one":1,"two":2,"three":"a"}')).toMatchObject({ body: { one: 1, two: 2, three: 'a' } });
});

test.each([
  ['oneOf', '{}', 'body must have exactly one of these members: mail, phone and code'],
  ['oneOf', '{"mail":1,"phone":2,"code":3}', 'body must have exactly one of these members: mail, phone and code'],
  ['anyOf', '{"phone":2}', 'body must have at least one of these members: mail, phone and code'],
])('a refusal names the members among which %s lets a client choose: %s', async (keyword, body, sentence) => {
  const branches = [{ required: ['mail'] }, { type: 'object', required: ['phone', 'code'], title: 'By phone' }];
  const receive = await receiver({ body: { type: 'object', [keyword]: branches } });
  expect(() => receive('', body)).toThrow(new RegExp(`^${sentence}$`));
  expect(receive('', '{"mail":1,"phone":2}')).toMatchObject({ body: { mail: 1 } });
});

test('ContractBroken names a fault once when the validator reports it twice', () => {
  const fault = { path: '/body/x', message: 'must be string' };
  expect(new ContractBroken([fault, fault]).message).toBe('body.x must be string');
});

test('ContractBroken cuts the values of a long enum, so that the message fits into each contract', () => {
  const values = Array.from({ length: 5000 }, (_, index) => `Europe/${index}`);
  const faults = Array.from({ length: 40 }, (_, index) => ({
    path: `/body/${Array<string>(31).fill('n'.repeat(500)).join('/')}/${String(index).padEnd(100, 'x')}`,
    message: `must be equal to one of the allowed values: ${values.join(', ')}`,
    keyword: 'enum',
  }));
  const { message } = new ContractBroken(faults);
  expect(message).toMatch(/…; and 30 more$/);
  expect(message.length).toBeLessThanOrEqual(32_768);
});
