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
 * `anyOf`, …) is int64 if one of them has that format. The positions beneath are made at the first access, as schemas may
 * contain themselves. Places that the same schemas describe share one position, since clients choose how deep they go.
 */
export class Position {
  readonly int64: boolean;
  /** The types of JSON Schema that a value may have here. */
  readonly types: ReadonlySet<string>;
  /** The names that the contract has for members here. */
  readonly names: ReadonlySet<string>;
  /** What is filled in here, as the contract has it; undefined: nothing is. */
  readonly default: unknown;
  private readonly schemas: readonly Schema[];
  private readonly patterns: readonly RegExp[];
  /** How many items prefixItems counts. */
  private readonly places: number;
  private readonly follow: Follow;
  private readonly pool: Pool;
  private readonly members = new Map<string, Position>();
  private readonly others = new Map<string, Position>();
  private readonly elements = new Map<number, Position>();
  private filledIn: readonly Default[] | undefined;

  /** @param schema what describes a whole value, or several that describe a part of one */
  constructor(schema: AnySchema | readonly AnySchema[], follow: Follow, pool = new Pool()) {
    const roots = [schema].flat();
    this.schemas = inPlace(roots, follow);
    this.follow = follow;
    this.pool = pool;
    this.int64 = this.schemas.some(isInt64Schema);
    this.types = roots.map((each) => typesOf(each, follow)).reduce((all, each) => all.intersection(each), TYPES);
    this.names = new Set(this.schemas.flatMap(({ properties = {} }) => Object.keys(properties)));
    this.patterns = this.schemas.flatMap(({ patternProperties = {} }) =>
      Object.keys(patternProperties).map((pattern) => new RegExp(pattern, 'u')),
    );
    this.places = Math.max(0, ...this.schemas.map(({ prefixItems = [] }) => prefixItems.length));
    this.default = this.schemas.find(({ default: value }) => value !== undefined)?.default;
  }

  /** The position of a whole value, or undefined if what is read there is what JSON says: no int64, and no defaults. */
  static of(schema: AnySchema, follow: Follow): Position | undefined {
    const matters = (each: Schema) => isInt64Schema(each) || each.default !== undefined;
    return reachable(schema, follow).some(matters) ? new Position(schema, follow) : undefined;
  }

  /** Whether an object may have no members but those that the contract names. */
  get isClosed(): boolean {
    return this.schemas.some((each) => each.additionalProperties === false || each.unevaluatedProperties === false);
  }

  member(name: string): Position {
    const known = this.members.get(name);
    if (known !== undefined) return known;
    if (this.names.has(name)) return this.remember(this.members, name, () => this.schemasOfMember(name));
    // Clients choose the other names: what is remembered of them goes by the patterns that they match.
    const matched = this.patterns.filter((pattern) => pattern.test(name)).map(({ source }) => source);
    return this.remember(this.others, matched.join(' '), () => this.schemasOfMember(name));
  }

  /** Each schema of an object describes a member by its name or a pattern, otherwise as one of all others. */
  private schemasOfMember(name: string): AnySchema[] {
    const declared = this.schemas.flatMap(
      ({ properties = {}, patternProperties = {}, additionalProperties = true }) => {
        const own = Object.hasOwn(properties, name) ? [properties[name] ?? true] : [];
        const matched = Object.entries(patternProperties).filter(([pattern]) => new RegExp(pattern, 'u').test(name));
        const found = [...own, ...matched.map(([, each]) => each)];
        return found.length > 0 ? found : [additionalProperties];
      },
    );
    if (declared.some((each) => each !== true)) return declared;
    return this.schemas.map(({ unevaluatedProperties = true }) => unevaluatedProperties);
  }

  item(index: number): Position {
    // Behind the places that prefixItems counts, all are one.
    const at = Math.min(index, this.places);
    return this.remember(this.elements, at, () =>
      this.schemas.map(({ prefixItems = [], items = true }) => prefixItems[at] ?? items),
    );
  }

  private remember<Key>(known: Map<Key, Position>, key: Key, schemas: () => readonly AnySchema[]): Position {
    let position = known.get(key);
    if (position === undefined) {
      const described = schemas();
      const make = () => new Position(described, this.follow, this.pool);
      position = this.pool.get(described, make);
      known.set(key, position);
    }
    return position;
  }

  /** Fills in, in a value and beneath it, the members that objects lack and the contract has a default for. */
  fillIn(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) this.item(index).fillIn(each);
      return;
    }
    const object = value as Record<string, unknown>;
    for (const [name, each] of Object.entries(object)) this.member(name).fillIn(each);
    for (const { name, value: filledIn, position } of (this.filledIn ??= this.defaults())) {
      if (!Object.hasOwn(object, name)) object[name] = position.filled(filledIn);
    }
  }

  private defaults(): Default[] {
    return [...this.names].flatMap((name) => {
      const position = this.member(name);
      // No request may have what is readOnly.
      const isReadOnly = position.schemas.some(({ readOnly }) => readOnly);
      return position.default === undefined || isReadOnly ? [] : [{ name, value: position.default, position }];
    });
  }

  /** A copy of a default of the contract, in which what it lacks is filled in. */
  filled(value: unknown): unknown {
    const copy = this.exact(value);
    this.fillIn(copy);
    return copy;
  }

  /** A copy of a value of the contract, as json.ts would read it here: each int64 is a bigint. */
  exact(value: unknown): unknown {
    if (typeof value === 'number') return this.int64 && Number.isInteger(value) ? BigInt(value) : value;
    if (Array.isArray(value)) return value.map((each, index) => this.item(index).exact(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.member(name).exact(each)]));
  }
}

/** The positions of one value, by the schemas that describe them. */
class Pool {
  private readonly positions = new Map<string, Position>();
  private readonly numbers = new Map<AnySchema, number>();

  get(schemas: readonly AnySchema[], make: () => Position): Position {
    const numbers = [...new Set(schemas)].map((each) => {
      const number = this.numbers.get(each) ?? this.numbers.size;
      this.numbers.set(each, number);
      return number;
    });
    const key = numbers.sort((one, other) => one - other).join();
    const position = this.positions.get(key) ?? make();
    this.positions.set(key, position);
    return position;
  }
}

const TYPES: ReadonlySet<string> = new Set(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']);

function isInt64Schema({ type, format }: Schema): boolean {
  return format === 'int64' && [type].flat().includes('integer');
}

/** The types that a schema allows. @param within what has been referred to on the way */
function typesOf(schema: AnySchema, follow: Follow, within: readonly AnySchema[] = []): ReadonlySet<string> {
  if (typeof schema === 'boolean') return TYPES;
  // What it allows beside itself, it allows.
  if (within.includes(schema)) return new Set();
  const { type, const: only, enum: values = only === undefined ? undefined : [only], $ref, allOf = [] } = schema;
  const of = (each: AnySchema) => typesOf(each, follow, [...within, schema]);
  const own = type === undefined ? values?.flatMap(typesOfValue) : [type].flat();
  const all = [...allOf, ...($ref === undefined ? [] : [follow($ref)])].map(of);
  if (own !== undefined) all.push(new Set(own.includes('number') ? [...own, 'integer'] : own));
  for (const branches of [schema.anyOf, schema.oneOf]) {
    if (branches !== undefined) all.push(branches.map(of).reduce((any, each) => any.union(each), new Set<string>()));
  }
  return all.reduce((types, each) => types.intersection(each), TYPES);
}

function typesOfValue(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return typeof value === 'number' || typeof value === 'bigint' ? ['number', 'integer'] : [typeof value];
}

/** The schemas, and all that they refer to or join: what a value must be by each of them. */
export function joined(schemas: readonly AnySchema[], follow: Follow): Schema[] {
  return closure(schemas, ({ $ref, allOf = [] }) => [$ref === undefined ? undefined : follow($ref), ...allOf]);
}

/** The schemas, and all that may tell of what type the same value is: not those of conditions, which test it only. */
export function inPlace(schemas: readonly AnySchema[], follow: Follow): Schema[] {
  return closure(schemas, (schema) => appliedInPlace(schema, follow));
}

const appliedInPlace = (schema: Schema, follow: Follow): readonly (AnySchema | undefined)[] => [
  schema.$ref === undefined ? undefined : follow(schema.$ref),
  ...(schema.allOf ?? []),
  ...(schema.anyOf ?? []),
  ...(schema.oneOf ?? []),
  ...Object.values(schema.dependentSchemas ?? {}),
  schema.then,
  schema.else,
];

const beneath = (schema: Schema): readonly (AnySchema | undefined)[] => [
  ...Object.values(schema.properties ?? {}),
  ...Object.values(schema.patternProperties ?? {}),
  schema.additionalProperties,
  schema.unevaluatedProperties,
  schema.items,
  ...(schema.prefixItems ?? []),
];

/** The schema, and all that apply to its place or beneath it. */
export function reachable(schema: AnySchema, follow: Follow): Schema[] {
  return closure([schema], (each) => [...appliedInPlace(each, follow), ...beneath(each)]);
}

function closure(roots: readonly AnySchema[], next: (schema: Schema) => readonly (AnySchema | undefined)[]): Schema[] {
  const isSchema = (each: AnySchema | undefined): each is Schema => typeof each === 'object';
  const found = new Set(roots.filter(isSchema));
  // A set hands out what is added while it is walked.
  for (const schema of found) for (const each of next(schema)) if (isSchema(each)) found.add(each);
  return [...found];
}
