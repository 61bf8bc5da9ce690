import type { AnySchema, Follow, Schema } from './document.ts';

/** A member that is filled in where a request does not have it, and its value as the contract has it. */
interface Default {
  readonly name: string;
  readonly value: unknown;
  readonly position: Position;
}

/**
 * A place in a JSON value, seen by what the contract says of it: of which types a value may be there, whether a number is
 * an int64, which members are filled in, and what may stand beneath. A place that several schemas describe (`allOf`,
 * `anyOf`, …) is int64 if one of them says so. What is beneath is looked up when it is first met, since schemas may
 * contain themselves.
 */
export class Position {
  readonly int64: boolean;
  /** The types of JSON Schema that a value may have here; none: the contract does not say. */
  readonly types: ReadonlySet<string>;
  private readonly schemas: readonly Schema[];
  private readonly follow: Follow;
  private readonly members = new Map<string, Position>();
  private readonly others = new Map<string, Position>();
  private readonly elements = new Map<number, Position>();
  /** The names that the contract has for members here. */
  readonly names: ReadonlySet<string>;
  private readonly patterns: readonly (readonly [RegExp, AnySchema])[];
  private filledIn: readonly Default[] | undefined;

  /** @param schema what describes a whole value */
  constructor(schema: AnySchema | readonly AnySchema[], follow: Follow) {
    this.schemas = inPlace([schema].flat(), follow);
    this.follow = follow;
    this.int64 = this.schemas.some(isInt64Schema);
    this.types = new Set(this.schemas.flatMap(typesOf));
    this.names = new Set(this.schemas.flatMap(({ properties = {} }) => Object.keys(properties)));
    this.patterns = this.schemas.flatMap(({ patternProperties = {} }) =>
      Object.entries(patternProperties).map(([pattern, each]) => [new RegExp(pattern, 'u'), each] as const),
    );
  }

  /** The position of a whole value, or undefined if what is read there is what JSON says: no int64, and no defaults. */
  static of(schema: AnySchema, follow: Follow): Position | undefined {
    const matters = ({ default: value, ...each }: Schema) => isInt64Schema(each) || value !== undefined;
    return reachable(schema, follow).some(matters) ? new Position(schema, follow) : undefined;
  }

  /** Whether an object may have no members but those that the contract names. */
  get isClosed(): boolean {
    return this.schemas.some((each) => otherMembers(each).includes(false));
  }

  member(name: string): Position {
    const known = this.members.get(name);
    if (known !== undefined) return known;
    const matched = this.patterns.filter(([pattern]) => pattern.test(name));
    const declared = this.schemas.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, name) ? [properties[name] ?? true] : [],
    );
    if (declared.length > 0) return this.remember(name, [...declared, ...matched.map(([, each]) => each)]);
    // Clients choose the other names: what is remembered of them goes by the patterns that they match.
    const key = ['', ...matched.map(([pattern]) => pattern.source)].join(' ');
    const other = this.others.get(key);
    if (other !== undefined) return other;
    const described = matched.length > 0 ? matched.map(([, each]) => each) : this.schemas.flatMap(otherMembers);
    return this.remember(key, described, this.others);
  }

  private remember(key: string, schemas: readonly AnySchema[], members = this.members): Position {
    const position = new Position(schemas, this.follow);
    members.set(key, position);
    return position;
  }

  item(index: number): Position {
    // Behind the places that prefixItems counts, all are one.
    const at = Math.min(index, Math.max(0, ...this.schemas.map(({ prefixItems = [] }) => prefixItems.length)));
    let position = this.elements.get(at);
    if (position === undefined) {
      const schemas = this.schemas.flatMap(({ prefixItems = [], items, contains }) => [
        prefixItems[at] ?? items,
        contains,
      ]);
      position = new Position(
        schemas.filter((each) => each !== undefined),
        this.follow,
      );
      this.elements.set(at, position);
    }
    return position;
  }

  /** Fills in the members that an object lacks and the contract has a default for. */
  fill(object: Record<string, unknown>): void {
    for (const { name, value, position } of (this.filledIn ??= this.defaults())) {
      if (!(name in object)) object[name] = position.exact(value);
    }
  }

  private defaults(): Default[] {
    return [...this.names].flatMap((name) => {
      const position = this.member(name);
      const value = position.default;
      return value === undefined ? [] : [{ name, value, position }];
    });
  }

  /** What is filled in here, as the contract has it; undefined: nothing is. */
  get default(): unknown {
    return this.schemas.find(({ default: value }) => value !== undefined)?.default;
  }

  /** A copy of a value of the contract, as json.ts would read it here: each int64 a bigint, and defaults filled in. */
  exact(value: unknown): unknown {
    if (typeof value === 'number') return this.int64 && Number.isInteger(value) ? BigInt(value) : value;
    if (typeof value === 'bigint') return this.int64 ? value : Number(value);
    if (Array.isArray(value)) return value.map((each, index) => this.item(index).exact(each));
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.member(name).exact(each)]));
    this.fill(copy);
    return copy;
  }
}

const otherMembers = ({ additionalProperties, unevaluatedProperties }: Schema) =>
  [additionalProperties, unevaluatedProperties].filter((each) => each !== undefined);

const appliedInPlace = (schema: Schema, follow: Follow): readonly (AnySchema | undefined)[] => [
  schema.$ref === undefined ? undefined : follow(schema.$ref),
  ...(schema.allOf ?? []),
  ...(schema.anyOf ?? []),
  ...(schema.oneOf ?? []),
  ...Object.values(schema.dependentSchemas ?? {}),
  schema.not,
  schema.if,
  schema.then,
  schema.else,
];

const beneath = (schema: Schema): readonly (AnySchema | undefined)[] => [
  ...Object.values(schema.properties ?? {}),
  ...Object.values(schema.patternProperties ?? {}),
  ...otherMembers(schema),
  schema.items,
  schema.contains,
  ...(schema.prefixItems ?? []),
];

function isInt64Schema({ type, format }: Schema): boolean {
  return format === 'int64' && [type].flat().includes('integer');
}

function typesOf({ type, const: only, enum: values = [] }: Schema): string[] {
  if (type !== undefined) return [type].flat();
  return [...values, only].flatMap((each) => (each === undefined || each === null ? [] : [typeof each]));
}

/** The schemas and all that apply to the same place. */
export function inPlace(schemas: readonly AnySchema[], follow: Follow): Schema[] {
  return closure(schemas, (schema) => appliedInPlace(schema, follow));
}

/** The schema, and all that apply to its place or beneath it. */
function reachable(schema: AnySchema, follow: Follow): Schema[] {
  return closure([schema], (each) => [...appliedInPlace(each, follow), ...beneath(each)]);
}

function closure(roots: readonly AnySchema[], next: (schema: Schema) => readonly (AnySchema | undefined)[]): Schema[] {
  const isSchema = (each: AnySchema | undefined): each is Schema => typeof each === 'object';
  const found = new Set(roots.filter(isSchema));
  // A set hands out what is added while it is walked.
  for (const schema of found) for (const each of next(schema)) if (isSchema(each)) found.add(each);
  return [...found];
}
