import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { loadContract } from '../../../contract/src/load.ts';
import type { ContractOperation } from '../../../contract/src/message/operation.ts';
import type { AnySchema, Schema } from '../../../contract/src/schema/document.ts';

/** A schema of a body, and the components that it refers to. */
export interface Drawn {
  readonly schema: AnySchema;
  readonly components: Readonly<Record<string, AnySchema>>;
}

const SMALL = readFileSync(new URL('../../test/services/items/openapi.yaml', import.meta.url), 'utf8');

/** The operation of a contract whose body and whose reply have this schema. @throws ContractError */
export async function operationOf({ schema, components }: Drawn, maxBytes: number): Promise<ContractOperation> {
  interface Node {
    [name: string]: Node;
  }
  const document = parse(SMALL) as Node;
  const operation = document['paths']?.['/items']?.['post'];
  Object.assign(operation ?? {}, { 'x-max-body-bytes': maxBytes });
  const contents = [operation?.['requestBody']?.['content'], operation?.['responses']?.['200']?.['content']];
  for (const content of contents) Object.assign(content?.['application/json'] ?? {}, { schema });
  Object.assign(document['components']?.['schemas'] ?? {}, components);
  const { operations } = await loadContract(stringify(document));
  const [found] = operations;
  if (found === undefined) throw new Error('the contract has no operation');
  return found;
}

const NAMES = ['a', 'b', 'c', 'kind'];
const COMPONENTS = ['A', 'B', 'C', 'D'];
const LINEAR = ['^[a-z]*$', '^[^\\x00]*$', '^a{0,30}$', '^(?:[a-z]+,)*$', '^(?!b).*$', 'a|ab'];
const DEFAULTS: Schema = { properties: { a: { default: 1 }, b: { default: {}, properties: { c: { default: 'x' } } } } };
const POLYNOMIAL = ['(a+)+$', '\\s*$', '^.*.*x$', '^(?:a(?!.*x))*$'];

/** Draws schemas in which much applies to the same value: nested branches, recursion, unique items, patterns. */
export function drawContract(random: () => number): Drawn {
  const below = (count: number) => Math.floor(random() * count);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const some = <T>(least: number, most: number, make: () => T): T[] =>
    Array.from({ length: least + below(most - least + 1) }, make);
  const maybe = (chance: number, fields: () => Schema): Schema => (random() < chance ? fields() : {});
  const pattern = () => pick(random() < 0.02 ? POLYNOMIAL : LINEAR);
  const branches = 2 + below(random() < 0.2 ? 30 : 5);

  /** @param first the first of COMPONENTS that may apply to the same value: a schema must not contain itself there */
  const schema = (depth: number, first: number): Schema => {
    const reference = (from: number): Schema =>
      from < COMPONENTS.length ? { $ref: `#/components/schemas/${pick(COMPONENTS.slice(from))}` } : { type: 'null' };
    if (depth <= 0) return pick([{ type: 'string' }, { type: 'integer' }, {}, reference(first)]);
    const next = depth - 1 - below(2);
    const same = () => schema(next, first);
    const part = () => (random() < 0.3 ? reference(0) : schema(next, 0));
    const list = () => some(2, branches, same);
    const map = () => Object.fromEntries(some(1, 4, () => [pick(NAMES), part()] as const));
    return pick<() => Schema>([
      () => ({ oneOf: list() }),
      () => ({ anyOf: list() }),
      () => ({ allOf: list() }),
      () => reference(first),
      () => ({
        ...reference(first),
        ...pick<Schema>([{ maxItems: 3 }, { maxItems: 20_000 }, { maxProperties: 30 }, { maxLength: 30 }]),
      }),
      () => ({ if: same(), then: same() }),
      () => ({ not: same() }),
      () => ({
        type: 'array',
        items: part(),
        ...maybe(0.3, () => ({ uniqueItems: true })),
        ...maybe(0.3, () => ({ maxItems: pick([3, 100, 20_000]) })),
        ...maybe(0.1, () => ({ contains: part() })),
        ...maybe(0.1, () => ({ prefixItems: some(1, 3, part) })),
      }),
      () => {
        const properties = map();
        return {
          type: 'object',
          properties,
          // A closed object may not require what it does not declare.
          ...maybe(0.4, () => ({ required: [pick(Object.keys(properties))] })),
          ...maybe(0.3, () => ({ additionalProperties: random() < 0.5 ? false : part() })),
          ...maybe(0.1, () => ({ unevaluatedProperties: false })),
          ...maybe(0.1, () => ({ patternProperties: { [pattern()]: part() } })),
          ...maybe(0.1, () => ({ propertyNames: { type: 'string', pattern: pattern() } })),
          ...maybe(0.1, () => ({ dependentSchemas: { a: same() } })),
        };
      },
      () =>
        pick<Schema>([
          { type: 'string', pattern: pattern() },
          { type: 'string', format: pick(['email', 'uri', 'date-time', 'uri-template']) },
          { type: 'number', multipleOf: pick([3, 0.01]) },
          { enum: [{ a: [] }, [1], 'x'] },
          { enum: Array.from({ length: pick([40, 400, 4000]) }, (_, index) => `word${index}`) },
          { type: 'integer', enum: Array.from({ length: pick([40, 400, 4000]) }, (_, index) => index) },
          { type: 'integer', format: 'int64', ...maybe(0.5, () => ({ minimum: 0, maximum: 2 ** 40 })) },
          { type: 'integer', format: 'int64', enum: Array.from({ length: pick([40, 400]) }, (_, index) => index) },
        ]),
    ])();
  };
  const components = Object.fromEntries(COMPONENTS.map((name, index) => [name, schema(3, index + 1)]));
  // A default may not stand beneath oneOf, anyOf, not or if.
  const root = random() < 0.2 ? { allOf: [DEFAULTS, schema(2, 0)] } : schema(3, 0);
  return { schema: random() < 0.6 ? { type: 'array', items: root } : root, components };
}

/** Bodies of so many bytes whose check is costly: for this schema, or for any schema. */
export function hostileBodies({ schema, components }: Drawn, bytes: number, random: () => number): string[] {
  const fill = (item: string) => {
    const count = Math.max(1, Math.floor((bytes - 2) / (item.length + 1)));
    return `[${Array<string>(count).fill(item).join()}]`;
  };
  const distinct = `[${Array.from({ length: Math.floor(bytes / 7) }, (_, index) => String(100_000 + index)).join()}]`;
  const members = `{${Array.from({ length: Math.floor(bytes / 12) }, (_, index) => `"k${100_000 + index}":1`).join()}}`;
  const deep = (leaf: string) => `${'[1,'.repeat(30)}${leaf}${']'.repeat(30)}`;
  const inObjects = (leaf: string) => `${'{"a":'.repeat(30)}${leaf}${'}'.repeat(30)}`;
  const long = JSON.stringify('a'.repeat(bytes - 10) + '!');
  const like = (size: number) => JSON.stringify(valueLike(schema, components, size, random, 0));
  const likes = Array.from({ length: 6 }, (_, index) => like(index % 2 === 0 ? bytes / 4 : 20));
  const any = [
    fill('{}'),
    fill('[]'),
    fill('1'),
    fill('{"a":1}'),
    fill('{"kind":"x","a":{}}'),
    fill('9223372036854775807'),
    fill('"word"'),
    distinct,
    members,
    long,
  ];
  const nested = [deep(distinct), deep(fill('{}')), inObjects(fill('{}')), inObjects(members)];
  const grown = likes.flatMap((each) => (each.length < bytes / 2 ? [each, fill(each)] : [each]));
  return [...any, ...nested, ...grown].filter(({ length }) => length <= bytes + 200);
}

/** A value that satisfies many of the schemas, so that its check does not end early. */
function valueLike(
  schema: AnySchema,
  components: Drawn['components'],
  size: number,
  random: () => number,
  depth: number,
): unknown {
  if (typeof schema === 'boolean' || depth > 28) return 1;
  const of = (each: AnySchema, share: number) => valueLike(each, components, share, random, depth + 1);
  const { $ref, oneOf, anyOf, allOf } = schema;
  if (schema.enum !== undefined) return schema.enum.at(-1);
  const same = $ref === undefined ? (oneOf ?? anyOf ?? allOf) : [components[$ref.replace(/.*\//, '')] ?? true];
  if (same !== undefined) return of(same[Math.floor(random() ** 0.5 * same.length)] ?? true, size);
  if (schema.type === 'array') {
    const items: unknown[] = [];
    const most = Math.min(schema.maxItems ?? Infinity, size / 3);
    for (let left = size; left > 0 && items.length < most;) {
      const item = of(schema.items ?? true, random() < 0.5 ? 3 : left / 2);
      items.push(item);
      left -= JSON.stringify(item).length + 1;
    }
    return items;
  }
  if (schema.type === 'object') {
    const names = Object.entries(schema.properties ?? {});
    const own = names.map(([name, each]) => [name, of(each, size / names.length)] as const);
    const required = (schema.required ?? []).map((name) => [name, 1] as const);
    return Object.fromEntries([...required, ...own]);
  }
  if (schema.type === 'string') return 'a'.repeat(Math.max(0, Math.min(size, 1000)));
  return schema.type === undefined ? {} : 1;
}
