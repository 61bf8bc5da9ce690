import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenApiDocument, Schema } from '../../src/contract/document.ts';

/** The keywords that values are derived from; beside them only those that say nothing of what is valid. */
export interface Keywords extends Schema {
  readonly required?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
}
const ANNOTATIONS = ['title', 'description', '$comment', 'deprecated', 'example', 'examples', 'externalDocs'];

/** @throws Error if the schema has another keyword: it would go untested */
export function requireKnown(schema: Keywords, ...known: readonly string[]): void {
  const unknown = Object.keys(schema).filter(
    (keyword) => !known.includes(keyword) && !ANNOTATIONS.includes(keyword) && !keyword.startsWith('x-'),
  );
  if (unknown.length === 0) return;
  throw new Error(
    `test/derived does not know what ${unknown.join(', ')} means in ${JSON.stringify(schema)}: teach it, or it goes untested`,
  );
}

/** The bounds of an integer. @throws Error if it has none, or another format */
export function integerRange(schema: Keywords): { readonly min: bigint; readonly max: bigint } {
  const { format, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const bits = format === 'int64' ? 64n : 32n;
  if (format !== 'int64' && format !== 'int32') throw new Error(`an integer must be int32 or int64: ${String(format)}`);
  const half = 2n ** (bits - 1n);
  const atLeast = [-half];
  const atMost = [half - 1n];
  if (minimum !== undefined) atLeast.push(BigInt(Math.ceil(minimum)));
  if (exclusiveMinimum !== undefined) atLeast.push(BigInt(Math.floor(exclusiveMinimum)) + 1n);
  if (maximum !== undefined) atMost.push(BigInt(Math.floor(maximum)));
  if (exclusiveMaximum !== undefined) atMost.push(BigInt(Math.ceil(exclusiveMaximum)) - 1n);
  const [min = 0n] = atLeast.toSorted((one, other) => (one > other ? -1 : 1));
  const [max = 0n] = atMost.toSorted((one, other) => (one < other ? -1 : 1));
  return { min, max };
}

/** Whether a value, as `read` returns it, is valid; else what is wrong with it. */
export type Judge = (value: unknown) => true | string;

/**
 * A judge of its own: Ajv, shown the schemas of the contract, with each integer and number judged exactly. The service
 * validates by Ajv too, but on values of its own reading, coerced and rounded, by a document that is rewritten.
 */
export class Judges {
  private readonly components: unknown;
  private readonly known = new Map<Schema, Judge>();

  constructor({ components }: OpenApiDocument) {
    this.components = withExactNumbers(components);
  }

  of(schema: Schema): Judge {
    const judge = this.known.get(schema) ?? this.make(schema);
    this.known.set(schema, judge);
    return judge;
  }

  private make(schema: Schema): Judge {
    const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
    ajv.addVocabulary(['components', 'example', 'x-pattern-message']);
    ajv.addKeyword({
      keyword: 'exact',
      validate: (numeric: Keywords, value: unknown) => isExactly(numeric, value),
    });
    // References start at the root of the document.
    const validate = ajv.compile({ ...(withExactNumbers(schema) as object), components: this.components });
    return (value) => validate(value) || ajv.errorsText(validate.errors);
  }
}

function withExactNumbers(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(withExactNumbers);
  const { type } = node as Schema;
  if (type === 'integer' || type === 'number') return { exact: node };
  return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, withExactNumbers(each)]));
}

function isExactly(numeric: Keywords, value: unknown): boolean {
  const { type, enum: values, const: only, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = numeric;
  if (typeof value !== 'bigint' && (typeof value !== 'number' || type === 'integer')) return false;
  // Comparison is exact between a bigint and a number, also where they are not equal by type.
  const equals = (other: unknown) => typeof other === 'number' && !(value < other) && !(value > other);
  if (values !== undefined && !values.some(equals)) return false;
  if (only !== undefined && !equals(only)) return false;
  if (type === 'integer') {
    const { min, max } = integerRange(numeric);
    return value >= min && value <= max;
  }
  return !(
    (minimum !== undefined && value < minimum) ||
    (maximum !== undefined && value > maximum) ||
    (exclusiveMinimum !== undefined && value <= exclusiveMinimum) ||
    (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
  );
}
