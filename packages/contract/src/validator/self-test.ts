import { ContractError } from '../contract-error.ts';
import { messageOf } from '../explained-error.ts';
import { Overspent } from '../schema/budget.ts';
import type { AnySchema } from '../schema/document.ts';
import { exactJson } from '../schema/int64.ts';
import { Translation } from './translation.ts';
import { replyCompiler, requestCompiler, schemaErrors, TESTED, VERSION } from './validator-eov.ts';
import type { FindFaults } from './verdict.ts';

// At a version that was not tested, the validator is judged by its verdicts: another one may differ inside, and accept every
// message, or be a security release in which nothing differs.

const string = { type: 'string' } as const;
const tree = { properties: { kids: { type: 'array', items: { $ref: 'tree' } } }, additionalProperties: false } as const;
const branches = [{ required: ['a'], properties: { a: true } }, { properties: { b: true } }];
const kind = (name: string, member: string) => ({
  properties: { kind: { const: name }, [member]: string },
  required: ['kind', member],
});

const TARGETS: Readonly<Record<string, AnySchema>> = { tree, A: kind('A', 'a'), B: kind('B', 'b') };

/** What must be judged, by which schema, some valid values, and some wrong ones with the path and keyword of each fault. */
type KnownVerdict = readonly [
  what: string,
  schema: AnySchema,
  valid: readonly unknown[],
  wrong: readonly (readonly [value: unknown, ...faults: string[]])[],
];

/** Each mechanism on which this folder relies: Ajv of the message, its options, keywords of ours, formats, references. */
const VERDICTS: readonly KnownVerdict[] = [
  ['a type', string, ['x'], [[1, '/body type']]],
  ['a type of several', { type: ['string', 'null'] }, ['x', null], [[true, '/body type']]],
  ['a text for a boolean', { type: 'boolean' }, [true], [['true', '/body type']]],
  ['a schema that allows nothing', { properties: { a: false } }, [{}], [[{ a: 1 }, '/body/a false schema']]],
  [
    'an int64',
    { type: 'integer', format: 'int64' },
    [9007199254740993n],
    [
      [1.5, '/body type'],
      [2n ** 63n, '/body format'],
    ],
  ],
  ['a multiple of a decimal', { multipleOf: 0.1 }, [0.3], [[0.35, '/body multipleOf']]],
  ['an enum', { enum: [{ a: 1 }, 2] }, [{ a: 1 }, 2], [[{ a: 2 }, '/body enum']]],
  ['equal items', { uniqueItems: true }, [[{ a: 1 }, { a: 2 }]], [[[{ a: 1 }, { a: 1 }], '/body uniqueItems']]],
  ['all missing members', { required: ['a', 'b'] }, [{ a: 1, b: 1 }], [[{}, '/body/a required', '/body/b required']]],
  [
    'a member that objects inherit',
    { required: ['toString'], properties: { constructor: string } },
    [{ toString: 1 }],
    [[{}, '/body/toString required']],
  ],
  [
    'a closed object',
    tree,
    [{ kids: [{}, { kids: [] }] }],
    [[{ kids: [{ b: 1 }] }, '/body/kids/0/b additionalProperties']],
  ],
  [
    'a pattern of names',
    { patternProperties: { '^a': string }, additionalProperties: false },
    [{ a: 'x' }],
    [[{ a: 1, b: 1 }, '/body/b additionalProperties', '/body/a type']],
  ],
  [
    'members that no branch evaluates',
    { anyOf: branches, unevaluatedProperties: false },
    [{ a: 1 }, { a: 1, b: 1 }],
    [
      [{ b: 1, c: 1 }, '/body/c unevaluatedProperties'],
      [{ b: 1, constructor: 1 }, '/body/constructor false schema'],
    ],
  ],
  ['names', { propertyNames: { maxLength: 1 } }, [{ a: 1 }], [[{ ab: 1 }, '/body maxLength', '/body propertyNames']]],
  ['a pattern', { pattern: '^\\p{L}$' }, ['é', 1], [['1', '/body pattern']]],
  ['a pattern with a message', { pattern: '^a$', 'x-pattern-message': 'must be a' }, ['a'], [['b', '/body pattern']]],
  ['a length in characters', { maxLength: 1 }, ['😀'], [['ab', '/body maxLength']]],
  ['a format', { format: 'date' }, ['2024-02-29', 1], [['2023-02-29', '/body format']]],
  [
    'a format of OpenAPI',
    { type: 'string', format: 'date-time' },
    ['2024-02-29T00:00:00Z'],
    [['today', '/body format']],
  ],
  ['a format of another', { format: 'x-own' }, ['any', 1], []],
  ['items that count', { contains: { const: 1 }, minContains: 2 }, [[1, 0, 1]], [[[1, 0], '/body contains']]],
  ['the first items', { prefixItems: [string], items: false }, [[], ['a']], [[['a', 1], '/body items']]],
  ['one branch', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, [{ a: 1 }], [[{ a: 1, b: 1 }, '/body oneOf']]],
  [
    'a chosen branch',
    { oneOf: [{ $ref: 'A' }, { $ref: 'B' }], discriminator: { propertyName: 'kind' } },
    [{ kind: 'A', a: 'x' }],
    [[{ kind: 'B', a: 'x' }, '/body/b required']],
  ],
  [
    'a condition',
    { if: { properties: { a: { const: 1 } } }, then: { required: ['b'] } },
    [{ a: 2 }, { a: 1, b: 1 }],
    [[{ a: 1 }, '/body/b required']],
  ],
  ['what must not be', { not: { required: ['a'] } }, [{}], [[{ a: 1 }, '/body not']]],
];

let known: { readonly wrong: string | undefined } | undefined;

/** @returns the warning for a version that was not tested */
export function untestedValidator(): string | undefined {
  if (TESTED.includes(VERSION)) return undefined;
  return `express-openapi-validator ${VERSION} was not tested with this service: the tests have passed with ${TESTED.join(' and ')}`;
}

/** @throws ContractError for a version that was not tested, and judges otherwise */
export function requireRightVerdicts(): void {
  if (untestedValidator() === undefined) return;
  known ??= { wrong: wrongVerdict() };
  if (known.wrong !== undefined)
    throw new ContractError(
      `express-openapi-validator ${VERSION} does not judge messages as this service needs it: ${known.wrong}: ` +
        `install ${TESTED.join(' or ')}`,
    );
}

/** @returns what the validator judges wrongly */
export function wrongVerdict(): string | undefined {
  try {
    const isWrong = ({ isRight }: { readonly isRight: boolean }) => !isRight;
    const wrong = judged('request').find(isWrong) ?? judged('reply').find(isWrong);
    return wrong?.what ?? (knowsOpenApi() ? undefined : 'the schema of OpenAPI');
  } catch (error) {
    // A file of the validator that is missing has a message of many lines.
    return Error.isError(error) && 'code' in error ? `it fails with ${String(error.code)}` : messageOf(error);
  }
}

function* judged(direction: 'request' | 'reply') {
  const translation = new Translation(direction, (reference) => TARGETS[reference] ?? true);
  const components = VERDICTS.map(([, body]) => translation.component(translation.schema({ properties: { body } })));
  const compile = (direction === 'request' ? requestCompiler : replyCompiler)(translation, true);
  // As a reader makes them, objects of requests inherit nothing.
  const message = (body: unknown) => (direction === 'request' ? bare({ body }) : { body }) as object;
  for (const [index, [name, , valid, wrong]] of VERDICTS.entries()) {
    const what = `${name}, in a ${direction}`;
    const find = compile(components[index] ?? '');
    for (const value of valid) {
      const sent = message(value);
      // A verdict must not change what it judges.
      yield { what, isRight: find(sent) === undefined && exactJson(sent) === exactJson({ body: value }) };
      yield { what: `the work of ${what}`, isRight: isSpent(find, sent) };
    }
    for (const [value, ...faults] of wrong) {
      const found = find(message(value)) ?? [];
      yield { what, isRight: found.map(({ path, keyword }) => `${path} ${keyword ?? ''}`).join() === faults.join() };
    }
  }
}

/** Whether a verdict ends when it has no work left. */
function isSpent(find: FindFaults, message: object): boolean {
  try {
    find(message, 0);
    return false;
  } catch (error) {
    return error instanceof Overspent;
  }
}

function bare(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(bare);
  const members = Object.entries(value).map(([name, each]) => [name, bare(each)] as const);
  return Object.assign(Object.create(null) as object, Object.fromEntries(members));
}

function knowsOpenApi(): boolean {
  const document = { openapi: '3.1.0', info: { title: 'x', version: '1' }, servers: [{ url: '/v1' }], paths: {} };
  const [wrong] = schemaErrors({ ...document, info: { title: 'x' } });
  return schemaErrors(document).length === 0 && wrong?.instancePath === '/info';
}
