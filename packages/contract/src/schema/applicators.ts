import type { ExactKeywords } from './exact.ts';

/** How a keyword of JSON Schema holds schemas, and what they mean for a value (2020-12, sections 10 and 11). */
interface Applicator {
  readonly in?: 'list' | 'map';
  /**
   * Of a value: itself, a member by its name, other members, items, the names of its members; `nothing`: only references
   * lead there.
   */
  readonly to: 'the value' | 'a member' | 'other members' | 'items' | 'names' | 'nothing';
  /**
   * `by a test`, such as `if`: the value may fail them, and others depend on that. `by a branch`, such as `anyOf`: a valid
   * value may fail some of them. `if left`: they apply to what no other schema of the value evaluates.
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
  properties: { in: 'map', to: 'a member' },
  patternProperties: { in: 'map', to: 'other members' },
  additionalProperties: { to: 'other members' },
  unevaluatedProperties: { to: 'other members', holds: 'if left', isUntyped: true },
  propertyNames: { to: 'names', isUntyped: true },
  items: { to: 'items' },
  prefixItems: { in: 'list', to: 'items' },
  contains: { to: 'items', holds: 'by a test', isUntyped: true },
} as const satisfies Readonly<Record<string, Applicator>>;

export type HoldingKeyword = keyof typeof APPLICATORS;
interface HeldSchemas {
  readonly list: readonly AnySchema[];
  readonly map: Readonly<Record<string, AnySchema>>;
}
type Holders = {
  readonly [Name in HoldingKeyword]?: (typeof APPLICATORS)[Name] extends { in: infer How extends keyof HeldSchemas }
    ? HeldSchemas[How]
    : AnySchema;
};

/** The keywords of JSON Schema 2020-12 that this service reads itself; Ajv knows the others. */
export interface Schema extends ExactKeywords, Holders {
  readonly $ref?: string;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly required?: readonly string[];
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly minLength?: number;
  readonly default?: unknown;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly 'x-pattern-message'?: string;
  readonly 'x-error-numbers'?: Readonly<Record<string, string>>;
  readonly discriminator?: { readonly propertyName: string; readonly mapping?: Readonly<Record<string, string>> };
}
/** `true` allows any value, `false` none. */
export type AnySchema = Schema | boolean;

/** The row of a keyword that holds schemas; undefined: it holds none. */
export function applicator(keyword: string): Applicator | undefined {
  return Object.hasOwn(APPLICATORS, keyword) ? APPLICATORS[keyword as HoldingKeyword] : undefined;
}

export const HOLDING_KEYWORDS = keywordsThat(() => true);

/** The keywords whose row is such, in the order of the table. */
export function keywordsThat(isSuch: (row: Applicator) => boolean): HoldingKeyword[] {
  return (Object.keys(APPLICATORS) as HoldingKeyword[]).filter((keyword) => isSuch(APPLICATORS[keyword]));
}

/** The schemas that these keywords of a schema hold. */
export function schemasOf(schema: Schema, keywords: readonly HoldingKeyword[]): AnySchema[] {
  const found: AnySchema[] = [];
  for (const keyword of keywords) {
    const held: AnySchema | HeldSchemas[keyof HeldSchemas] | undefined = schema[keyword];
    if (held === undefined) continue;
    const { in: how }: Applicator = APPLICATORS[keyword];
    if (how === undefined) found.push(held as AnySchema);
    else found.push(...(Object.values(held) as AnySchema[]));
  }
  return found;
}
