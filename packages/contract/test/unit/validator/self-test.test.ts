import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { wrongVerdict } from '../../../src/validator/self-test.ts';

const require = createRequire(import.meta.url);
type Options = Readonly<Record<string, unknown>>;
type Validator = new (document: object, options: Options) => { ajvBody?: unknown };
const middleware = (direction: string) =>
  require(`express-openapi-validator/dist/middlewares/openapi.${direction}.validator.js`) as Record<string, unknown>;
const REQUEST = ['request', 'RequestValidator'] as const;
const REPLY = ['response', 'ResponseValidator'] as const;

/** What the self-test says of another validator. */
function wrongOf([direction, name]: readonly [string, string], bent: (original: Validator) => Validator) {
  const loaded = middleware(direction);
  const original = loaded[name] as Validator;
  loaded[name] = bent(original);
  try {
    return wrongVerdict();
  } finally {
    loaded[name] = original;
  }
}

/** A validator that takes other options than it is given. */
const taking = (bend: (options: Options) => Options) => (Original: Validator) =>
  class extends Original {
    constructor(document: object, options: Options) {
      super(document, bend(options));
    }
  };

test('the installed validator passes the self-test', () => {
  expect(wrongVerdict()).toBeUndefined();
});

test.each([
  ['turns texts into other types', REQUEST, { coerceTypes: true }, 'a type, in a request'],
  ['removes members', REQUEST, { removeAdditional: true }, 'a closed object, in a request'],
  ['passes over formats', REQUEST, { validateFormats: false }, 'a format, in a request'],
  ['has formats of its own', REPLY, { formats: {} }, 'a format, in a reply'],
  [
    'takes inherited members for own ones',
    REPLY,
    { ownProperties: false },
    'a member that objects inherit, in a reply',
  ],
  ['knows no keyword of ours', REQUEST, { keywords: [] }, /int64|work/],
  ['tells the first fault only', REQUEST, { allErrors: false }, 'all missing members, in a request'],
])('the self-test refuses a validator that %s', (_, which, options, what) => {
  expect(
    wrongOf(
      which,
      taking((given) => ({ ...given, ...options })),
    ),
  ).toMatch(what);
});

test('the self-test refuses a validator that keeps what it compiles elsewhere', () => {
  const moved = (Original: Validator) =>
    class extends Original {
      override ajvBody = undefined;
    };
  expect(wrongOf(REQUEST, moved)).toMatch(/undefined/);
});

test('the self-test refuses a validator that spends nothing', () => {
  const others = (given: unknown) => (given as { keyword: string }[]).filter(({ keyword }) => keyword !== 'spend');
  const spendless = taking((given) => ({ ...given, keywords: others(given['keywords']) }));
  expect(wrongOf(REPLY, spendless)).toBe('the work of a type, in a reply');
});
