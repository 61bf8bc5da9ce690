import { ContractError } from './errors.ts';
import { locationOf, type Resolve, type Schema } from './document.ts';

/**
 * A place in a JSON value, seen by what the contract says of it: whether an int64 may stand there, and what may stand
 * beneath. A place that several schemas describe (`allOf`, `anyOf`, …) is int64 if one of them says so. What is beneath
 * is looked up when it is first met, since schemas may contain themselves.
 */
export class Position {
  readonly int64: boolean;
  private readonly schemas: readonly Schema[];
  private readonly resolve: Resolve;
  private readonly members = new Map<string, Position>();
  private others: Position | undefined;
  private elements: Position | undefined;
  /** Whether the contract fills in an int64 in this value or beneath it. */
  private readonly hasDefaults: boolean;

  private constructor(schemas: readonly Schema[], resolve: Resolve, hasDefaults: boolean) {
    this.schemas = inPlace(schemas, resolve);
    this.resolve = resolve;
    this.hasDefaults = hasDefaults;
    this.int64 = this.schemas.some(isInt64Schema);
  }

  /**
   * The position of a whole value, or undefined if no int64 can stand anywhere in it.
   *
   * @throws ContractError if the contract asks of an int64 what the validator, which sees doubles, cannot judge
   */
  static of(schema: Schema | undefined, resolve: Resolve): Position | undefined {
    const everywhere = schema === undefined ? [] : reachable(schema, resolve);
    everywhere.forEach(checkInt64Keywords);
    const int64s = everywhere.filter(isInt64Schema);
    const hasDefaults = int64s.some((each) => each.default !== undefined);
    return int64s.length > 0 ? new Position(everywhere.slice(0, 1), resolve, hasDefaults) : undefined;
  }

  member(name: string): Position {
    let position = this.members.get(name);
    if (position !== undefined) return position;
    const declared = this.schemas.flatMap(({ properties }) =>
      properties !== undefined && Object.hasOwn(properties, name) ? [properties[name]] : [],
    );
    // Names that are not declared share one position: clients choose them, and memory would grow with each.
    if (declared.length === 0) return (this.others ??= this.under(this.schemas.flatMap(otherMembers)));
    position = this.under(declared);
    this.members.set(name, position);
    return position;
  }

  items(): Position {
    return (this.elements ??= this.under(this.schemas.flatMap(elements)));
  }

  private under(schemas: readonly (Schema | boolean | undefined)[]): Position {
    return new Position(schemas.filter(isSchema), this.resolve, this.hasDefaults);
  }

  /** The value, with each int64 in it that the validator filled in, a number, made exact. */
  withExactDefaults(value: unknown): unknown {
    if (!this.hasDefaults) return value;
    if (typeof value === 'number') return this.int64 && Number.isSafeInteger(value) ? BigInt(value) : value;
    if (typeof value !== 'object' || value === null) return value;
    const holder = value as Record<string, unknown>;
    for (const [key, each] of Object.entries(holder)) {
      holder[key] = (Array.isArray(value) ? this.items() : this.member(key)).withExactDefaults(each);
    }
    return value;
  }
}

const otherMembers = (schema: Schema) => [
  schema.additionalProperties,
  schema.unevaluatedProperties,
  ...Object.values(schema.patternProperties ?? {}),
];
const elements = (schema: Schema) => [
  schema.items,
  schema.unevaluatedItems,
  schema.contains,
  ...(schema.prefixItems ?? []),
];
const appliedInPlace = (schema: Schema) => [
  ...(schema.allOf ?? []),
  ...(schema.anyOf ?? []),
  ...(schema.oneOf ?? []),
  ...Object.values(schema.dependentSchemas ?? {}),
  schema.if,
  schema.then,
  schema.else,
];

function isSchema(value: Schema | boolean | undefined): value is Schema {
  return typeof value === 'object';
}

function isInt64Schema({ type, format }: Schema): boolean {
  return format === 'int64' && [type].flat().includes('integer');
}

/** The schemas and all that apply to the same place. */
function inPlace(schemas: readonly Schema[], resolve: Resolve): Schema[] {
  return closure(schemas, (schema) => [resolve(schema), ...appliedInPlace(schema)].filter(isSchema));
}

/** The schema, itself first, and all that apply to its place or beneath it. */
function reachable(schema: Schema, resolve: Resolve): Schema[] {
  return closure([schema], (each) => [
    ...inPlace([each], resolve),
    ...[...Object.values(each.properties ?? {}), ...otherMembers(each), ...elements(each)].filter(isSchema),
  ]);
}

function closure(roots: readonly Schema[], next: (schema: Schema) => readonly Schema[]): Schema[] {
  const found = new Set(roots);
  // A set hands out what is added while it is walked.
  for (const schema of found) for (const each of next(schema)) found.add(each);
  return [...found];
}

/** Rounding to doubles keeps the order of integers, and their identity within ±2^53: what goes beyond is refused. */
function checkInt64Keywords(schema: Schema): void {
  if (!isInt64Schema(schema)) return;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, enum: values = [], default: filledIn } = schema;
  const bounds = [minimum, maximum].filter((bound) => bound !== -(2 ** 63) && bound !== 2 ** 63);
  const numbers = [...bounds, exclusiveMinimum, exclusiveMaximum, schema.const, filledIn, ...values];
  if (
    schema.multipleOf !== undefined ||
    numbers.some((each) => typeof each === 'number' && !Number.isSafeInteger(each))
  ) {
    throw new ContractError(
      `${locationOf(schema)} limits an int64 by multipleOf, or by a value beyond ±9007199254740991, which the validator ` +
        `would judge after rounding`,
    );
  }
}
