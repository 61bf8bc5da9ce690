import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Cases of one schema of the JSON Schema Test Suite. Each JSON text spells its numbers as the suite does: `1.0`. */
export interface SuiteGroup {
  /** File and description: `minLength: minLength validation`. */
  readonly name: string;
  /** The JSON text of the schema, with references that start at the place where it stands in a document, such as `#`. */
  readonly schema: (root: string) => string;
  readonly tests: readonly { readonly name: string; readonly text: string; readonly valid: boolean }[];
}

/** A checkout of https://github.com/json-schema-org/JSON-Schema-Test-Suite, which no package of npm has in it. */
const { JSON_SCHEMA_TEST_SUITE: CHECKOUT } = process.env;

/** Where there is none, these tests are left out: they add to those of the garden, which are always run. */
export const hasSuite = CHECKOUT !== undefined;

/**
 * Its files for draft 2020-12, without those of what a contract does not have: other documents, names of schemas, formats
 * that say nothing.
 */
const LEFT_OUT =
  /^(?:anchor|content|defs|dynamicRef|format|refRemote|unevaluatedItems|vocabulary|optional\/(?!format\/|bignum|float|non-bmp|ecma).*|optional\/format\/(?:ecma|idn|iri|unknown).*)\.json$/;

const IDENTIFIED = /"\$(?:id|anchor|dynamicRef|dynamicAnchor)":|"\$ref":"[^#]/;

/** In a value of an enum it is data. */
const REFERENCE = /(?<!"enum":\[\{)"\$ref":"#/g;

interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const parse = JSON.parse as (
  text: string,
  reviver: (name: string, value: unknown, context: { readonly source: string }) => unknown,
) => unknown;

export function readSuite(): SuiteGroup[] {
  if (CHECKOUT === undefined) return [];
  const folder = join(CHECKOUT, 'tests/draft2020-12');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.sort().flatMap((file) => {
    if (!file.endsWith('.json') || LEFT_OUT.test(file)) return [];
    const text = readFileSync(join(folder, file), 'utf8');
    const groups = parse(text, (name, value, { source }) =>
      typeof value === 'number' ? JSON.rawJSON(source) : name === '$schema' ? undefined : value,
    ) as readonly Group[];
    return groups
      .map(({ description, schema, tests }) => {
        const written = JSON.stringify(schema);
        return {
          name: `${file.replace('.json', '')}: ${description}`,
          schema: (root: string) => written.replaceAll(REFERENCE, () => `"$ref":"${root}`),
          tests: tests.map((each) => ({
            name: each.description,
            text: JSON.stringify(each.data),
            valid: each.valid,
          })),
        };
      })
      .filter(({ schema }) => !IDENTIFIED.test(schema('#')));
  });
}
