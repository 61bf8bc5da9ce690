import type { AnySchema, Schema } from './document.ts';

/** How a keyword of JSON Schema holds schemas, and what they mean for a value (2020-12, sections 10 and 11). */
interface Applicator {
  readonly in?: 'list' | 'map';
  /** Of a value: itself, its members, its items, the names of its members; `nothing`: only references lead there. */
  readonly to: 'the value' | 'members' | 'items' | 'names' | 'nothing';
  /**
   * `by a test`: whether they hold only decides about others. `by a branch`: they may fail, and the value is valid.
   * `if left`: they apply to what the others of the value leave.
   */
  readonly holds?: 'by a test' | 'by a branch' | 'if left';
  /** Whether the generated types ignore them. */
  readonly isUntyped?: true;
}

const APPLICATORS = {
  $defs: { in: 'map', to: 'nothing' },
  allOf: { in: 'list', to: 'the value' },
  anyOf: { in: 'list', to: 'the value', holds: 'by a branch' },
  oneOf: { in: 'list', to: 'the value', holds: 'by a branch' },
  dependentSchemas: { in: 'map', to: 'the value', holds: 'by a branch', isUntyped: true },
  if: { to: 'the value', holds: 'by a test', isUntyped: true },
  then: { to: 'the value', holds: 'by a branch', isUntyped: true },
  else: { to: 'the value', holds: 'by a branch', isUntyped: true },
  not: { to: 'the value', holds: 'by a test', isUntyped: true },
  properties: { in: 'map', to: 'members' },
  patternProperties: { in: 'map', to: 'members' },
  additionalProperties: { to: 'members' },
  unevaluatedProperties: { to: 'members', holds: 'if left', isUntyped: true },
  propertyNames: { to: 'names', isUntyped: true },
  items: { to: 'items' },
  prefixItems: { in: 'list', to: 'items' },
  contains: { to: 'items', holds: 'by a test', isUntyped: true },
} as const satisfies Readonly<Record<string, Applicator>>;

type Keyword = keyof typeof APPLICATORS;

/** The row of a keyword that holds schemas; undefined: it holds none. */
export function applicator(keyword: string): Applicator | undefined {
  return Object.hasOwn(APPLICATORS, keyword) ? APPLICATORS[keyword as Keyword] : undefined;
}

/** The keywords whose row is such, in the order of the table. */
export function keywordsThat(isSuch: (row: Applicator) => boolean): Keyword[] {
  return (Object.keys(APPLICATORS) as Keyword[]).filter((keyword) => isSuch(APPLICATORS[keyword]));
}

/** The schemas that these keywords of a schema hold. */
export function schemasOf(schema: Schema, keywords: readonly Keyword[]): AnySchema[] {
  const found: AnySchema[] = [];
  for (const keyword of keywords) {
    const held: AnySchema | Readonly<Record<string, AnySchema>> | readonly AnySchema[] | undefined = schema[keyword];
    if (held === undefined) continue;
    const { in: how }: Applicator = APPLICATORS[keyword];
    if (how === undefined) found.push(held as AnySchema);
    else found.push(...(Object.values(held) as AnySchema[]));
  }
  return found;
}
