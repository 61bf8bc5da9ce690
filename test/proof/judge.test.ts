import { expect, test } from '@jest/globals';
import { Judge, type Schema } from '../../scripts/proof/judge.ts';
import { fromDocument, read } from '../../scripts/proof/values.ts';
import { hasSuite, readSuite } from '../support/json-schema-suite.ts';

/** The judge does not decode punycode in hostnames. */
const LEFT_OUT = 'optional/format/hostname: validation of A-label';

if (hasSuite) {
  test('the judge agrees with each case of the JSON Schema Test Suite', () => {
    const cases = readSuite().flatMap((group) => {
      const document = { schema: fromDocument(JSON.parse(group.schema('#/schema'))) };
      const judge = new Judge(document, 'either');
      return group.tests.map(({ name, text, valid }) => ({
        name: `${group.name}: ${name}`,
        valid,
        isValid: judge.isValid(document.schema as Schema, read(text)),
      }));
    });
    const wrong = cases.filter(({ name, valid, isValid }) => valid !== isValid && !name.startsWith(LEFT_OUT));
    expect(wrong.map(({ name }) => name)).toEqual([]);
    expect(cases.length).toBeGreaterThan(1600);
  });
}

test('in a request, the judge does not require a member if another schema of the same value makes it readOnly', () => {
  const properties = { id: { allOf: [{ readOnly: true }] } };
  const isValid = (schema: Schema, text: string) =>
    new Judge({ Base: { properties } }, 'request').isValid({ allOf: [{ $ref: '#/Base' }, schema] }, read(text));
  expect(isValid({ required: ['id', 'n'] }, '{"n":1}')).toBe(true);
  expect(isValid({ required: ['id', 'n'] }, '{}')).toBe(false);
  expect(isValid({ dependentRequired: { n: ['id'] } }, '{"n":1}')).toBe(true);
  expect(isValid({ not: { required: ['id'] } }, '{"n":1}')).toBe(false);
  expect(isValid({ properties: { id: {} } }, '{"id":1}')).toBe(false);
  expect(isValid({ properties: { n: { required: ['id'] } } }, '{"n":{}}')).toBe(false);
});

test.each([
  ['request', '{"shown":1,"secret":2}', false],
  ['request', '{"secret":2}', true],
  ['reply', '{"shown":1,"secret":2}', false],
  ['reply', '{"shown":1}', true],
  ['either', '{"shown":1,"secret":2}', true],
  ['either', '{"shown":1}', false],
] as const)('the judge applies readOnly and writeOnly, for "%s": %s is valid: %j', (direction, text, isValid) => {
  const document = { Shown: { readOnly: true } };
  const properties = { shown: { $ref: '#/Shown' }, secret: { writeOnly: true } };
  const schema = { properties, required: ['shown', 'secret'] };
  expect(new Judge(document, direction).isValid(schema, read(text))).toBe(isValid);
});
