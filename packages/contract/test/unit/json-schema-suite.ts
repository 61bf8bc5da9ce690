import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One schema of the JSON Schema Test Suite with its cases. Numbers keep the suite's spelling, such as `1.0`. */
export interface SuiteGroup {
  /** File and description: `minLength: minLength validation`. */
  readonly name: string;
  /** The JSON text of the schema. Its references begin with `root`, its place in a document, such as `#`. */
  readonly schema: (root: string) => string;
  readonly tests: readonly { readonly name: string; readonly text: string; readonly valid: boolean }[];
}

/** The path of a checkout of https://github.com/json-schema-org/JSON-Schema-Test-Suite, which npm does not have. */
const { JSON_SCHEMA_TEST_SUITE: CHECKOUT } = process.env;

/** Why its tests cannot run; those of packages/trellis/test/engine/garden/rules.test.ts always do. */
export const noSuite =
  CHECKOUT === undefined ? 'JSON_SCHEMA_TEST_SUITE names no checkout of the JSON Schema Test Suite' : undefined;

/**
 * Files of the suite about features that no contract of the service can have: references to other documents, named
 * schemas, formats that are not checked.
 */
const LEFT_OUT =
  /^(?:anchor|content|defs|dynamicRef|format|refRemote|unevaluatedItems|vocabulary|optional\/(?!format\/|bignum|float|non-bmp|ecma).*|optional\/format\/(?:ecma|idn|iri|unknown).*)\.json$/;

const IDENTIFIED = /"\$(?:id|anchor|dynamicRef|dynamicAnchor)":|"\$ref":"[^#]/;

/** A `$ref` in a value of `enum` is data, not a reference. */
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
