import { readdirSync, readFileSync } from 'node:fs';

/** Cases of one schema of the JSON Schema Test Suite. Each JSON text spells its numbers as the suite does: `1.0`. */
export interface SuiteGroup {
  /** File and description: `minLength: minLength validation`. */
  readonly name: string;
  /** The JSON text of the schema, with references that start at the place where it stands in a document, such as `#`. */
  readonly schema: (root: string) => string;
  readonly tests: readonly { readonly name: string; readonly text: string; readonly valid: boolean }[];
}

/**
 * From https://github.com/json-schema-org/JSON-Schema-Test-Suite at 44401e0c046704b476ec9d2e2fccdaee618f259d, draft 2020-12
 * (MIT, LICENSE beside it); its package on npm has no tests of its own, and fetches them by git. Left out are the files
 * of what a contract in one document does not have: other documents, anchors, vocabularies.
 */
const FOLDER = new URL('json-schema-suite/', import.meta.url);

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
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
  return files.sort().flatMap((file) => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');
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
