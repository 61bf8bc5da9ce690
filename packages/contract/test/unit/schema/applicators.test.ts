import { describe, expect, test } from '@jest/globals';
import { outlinesOf } from '../../../src/message/undeclared.ts';
import { applicator, HOLDING_KEYWORDS } from '../../../src/schema/applicators.ts';
import { follower, readOpenApi, type Schema } from '../../../src/schema/document.ts';
import { exactJson } from '../../../src/schema/int64.ts';
import { Position } from '../../../src/schema/positions.ts';
import { reachable } from '../../../src/schema/subschemas.ts';
import { Derivation } from '../../../tools/derivation/messages.ts';
import { generateTypes } from '../../../tools/types.ts';
import { contractOf, receiver } from '../values.ts';

// What a row of the table says of a keyword holds everywhere: in the validator, in each reader of schemas, in the tools.

const HELD = { type: 'object', properties: { a: { type: 'integer' } } };
const NAME = { maxLength: 1 };
/** Keywords that say nothing alone. */
const BESIDE: Readonly<Record<string, object>> = { if: { then: false }, then: { if: true }, else: { if: false } };

/** For each keyword, a schema that holds another one by it, and a function that makes values from what that one judges. */
const CASES = HOLDING_KEYWORDS.flatMap((keyword) => {
  const { in: how, to = 'nothing', holds, isUntyped = false } = applicator(keyword) ?? {};
  if (to === 'nothing') return [];
  const held: Schema = to === 'names' ? NAME : HELD;
  const type = to === 'items' ? 'array' : 'object';
  const schema = { type, [keyword]: how === 'list' ? [held] : how === 'map' ? { m: held } : held, ...BESIDE[keyword] };
  const around = (part: object) => (to === 'the value' ? { m: 1, ...part } : to === 'items' ? [part] : { m: part });
  const values =
    to === 'names'
      ? [{ m: 1 }, { mm: 1 }]
      : [
          { a: 1, b: 1 },
          { a: 'x', b: 1 },
        ].map(around);
  return [{ keyword, to, isTest: holds === 'by a test' || to === 'names', isUntyped, held, schema, values }];
});

describe.each(CASES)('a schema that stands in $keyword', ({ to, isTest, isUntyped, held, schema, values }) => {
  const yaml = contractOf({ body: schema });
  const document = readOpenApi(yaml);
  const follow = follower(document);
  const verdicts = async (bodies: readonly unknown[]) => {
    const receive = await receiver({ body: schema });
    const isValid = (body: unknown) => {
      try {
        return receive('', exactJson(body)) !== undefined;
      } catch {
        return false;
      }
    };
    return new Set(bodies.map(isValid));
  };

  test('decides whether a value is valid', async () => {
    expect((await verdicts(values)).size).toBe(2);
  });

  test('is known to what derives values for tests', () => {
    const requests = new Derivation(document).ofRequests({ id: 'putThing' }).flatMap(({ messages }) => messages);
    const bodies = requests.map(({ parts: { body = null } }) => exactJson(body));
    expect(bodies.some((each) => (to === 'names' ? /"..+":/ : /"a":\d/).test(each))).toBe(true);
  });

  test('describes its part of the value, unless it only tests it', () => {
    const [at, outline] = [new Position(schema, follow), outlinesOf(follow).at([schema])];
    const [part, kept] =
      to === 'the value'
        ? [at, outline]
        : to === 'items'
          ? [at.item(0), outline?.item(0)]
          : [at.member('m'), outline?.member('m')];
    expect(reachable(schema, follow).includes(held)).toBe(!isTest);
    expect(part.names.has('a')).toBe(!isTest);
    expect([kept?.keeps('a') ?? true, kept?.keeps('b') ?? true]).toEqual([true, isTest]);
  });

  test('has a type, unless the table says that it has none', async () => {
    expect(/\ba\?: number/.test(await generateTypes(yaml))).toBe(!isUntyped);
  });
});
