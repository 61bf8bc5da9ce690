import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import type { Ajv, Options, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type OpenApiDocument, readTree } from '../../../src/schema/document.ts';
import { STRING_FORMATS } from '../../../src/schema/formats.ts';
import { candidatesOf } from '../../../tools/derivation/candidates.ts';
import { inDoubles } from '../../../tools/derivation/schemas.ts';
import { adopted, documentWith } from '../../support/adopted.ts';

/** OpenAPI 3.0 builds on draft 4 of JSON Schema, where `exclusiveMinimum: true` excludes the bound. */
const { default: Draft4 } = createRequire(import.meta.url)('ajv-draft-04') as {
  default: new (options: Options) => Compiler;
};
const SEED = 20_260_000;
const BODY = { $ref: '#/components/schemas/Book' };
const OPTIONS: Options = { strict: false, validateSchema: false, formats: { ...STRING_FORMATS }, logger: false };

/** The part of Ajv that both versions have. */
type Compiler = Pick<Ajv, 'addSchema'> & { compile(schema: object): ValidateFunction };

/** Judges bodies by the schema Book of a document, and shares no code with the service. */
function judge(ajv: Compiler, document: unknown): (value: unknown) => boolean {
  ajv.addSchema(document as object, 'https://books.example/');
  return ajv.compile({ $ref: `https://books.example/${BODY.$ref}` });
}

function candidates(document: unknown) {
  return candidatesOf(document as OpenApiDocument, SEED).of([BODY]);
}

/** Without booleans and patterns, which the derivation would read as OpenAPI 3.1 does: bounds and types stay. */
function readable(old: unknown): unknown {
  return JSON.parse(JSON.stringify(old), (name, value: unknown) =>
    typeof value === 'boolean' || name === 'pattern' ? undefined : value,
  );
}

const TITLES: readonly unknown[] = [
  { type: 'string', nullable: true, minLength: 2 },
  { type: 'string', nullable: true, enum: ['a', null] },
  { type: 'string', nullable: true, enum: ['a'] },
  { type: 'string', nullable: false },
  { type: 'array', nullable: true, items: { type: 'integer', nullable: true } },
  { type: 'integer', minimum: 3, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
  { type: 'number', minimum: 3, exclusiveMinimum: false, maximum: 9 },
  { $ref: '#/components/schemas/Error', maxProperties: 0, required: ['x'] },
  { type: 'string', pattern: String.raw`^[\w\-\@]+\_\:\/\.$` },
  { type: 'string', pattern: String.raw`^a\-[b\-\&]\"$` },
  { type: 'string', example: 'YWI=', format: 'byte' },
  { type: 'object', properties: { size: { type: 'integer', nullable: true } }, additionalProperties: false },
  {
    allOf: [{ type: 'string', nullable: true }, { minLength: 2 }],
  },
  { oneOf: [{ type: 'string' }, { type: 'integer', nullable: true }] },
  { not: { type: 'string', nullable: true } },
  { type: 'array', items: { type: 'string' }, default: ['a'] },
];

test.each(TITLES.map((schema) => [schema]))('the adopted document allows the same bodies as before: %j', (schema) => {
  const yaml = documentWith(['components', 'schemas', 'Book', 'properties', 'title'], schema);
  const { tree: old } = readTree(yaml);
  const { document, open, refusals } = adopted(yaml);
  expect({ open, refusals }).toEqual({ open: [], refusals: [] });
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- OpenAPI 3.0 ignores what stands beside $ref, as Ajv 6 did
  const before = judge(new Draft4({ ...OPTIONS, unicodeRegExp: false, ignoreKeywordsWithRef: true }), old);
  const after = judge(new Ajv2020(OPTIONS), document);
  const bodies = [...candidates(document), ...candidates(readable(old))].map(inDoubles);
  expect(bodies.length).toBeGreaterThan(30);
  const judged = bodies.map((body) => ({ body, verdict: after(body) }));
  expect(new Set(judged.map(({ verdict }) => verdict))).toEqual(new Set([true, false]));
  expect(judged).toEqual(bodies.map((body) => ({ body, verdict: before(body) })));
});

test('adopt asks before it makes a document allow other bodies', () => {
  const schema = { type: 'string', format: 'isbn', maxLength: 2 };
  const { open } = adopted(documentWith(['components', 'schemas', 'Book', 'properties', 'title'], schema));
  expect(open).toHaveLength(1);
});
