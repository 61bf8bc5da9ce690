import { isInt64 } from 'trellis-contract/ground';
import {
  isNumber,
  isObject,
  type JsonObject,
  type JsonValue,
  judgeBy,
  type Keywords,
  numberOf,
  type Parts,
  withSchemas,
} from 'trellis-contract/derivation';

/** The largest double that is an int64. */
const MAX_INT64 = 2 ** 63 - 1024;

/** The formats of OpenAPI's registry, which JSON Schema does not define, as keywords with the same meaning. */
const FORMATS: Readonly<Record<string, Keywords>> = {
  int32: { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  int64: { minimum: -MAX_INT64, maximum: MAX_INT64 },
  float: { minimum: -3.4028234663852886e38, maximum: 3.4028234663852886e38 },
  byte: { pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$' },
};

/** The keywords that a value breaks, such as `maxLength`; none, if the schema allows the value. */
export type Verdict = (value: unknown) => readonly string[];

/** Compiles a schema. @param document the contract, to whose members the references of the schema lead */
export type JudgeOf = (schema: Keywords, document: object) => Promise<Verdict>;

/** Compiles a schema with Ajv. The verdict does not name the keywords that a value breaks. */
export const judgeByAjv: JudgeOf = (schema, document) => {
  const isValid = judgeBy(withSchemas(document, spelledOut));
  const whole = withSchemas(schema, spelledOut, 'Schema');
  return Promise.resolve((value) => (isValid(whole, rounded(value) as JsonValue) ? [] : ['the schema']));
};

export function spelledOut(schema: Keywords): Keywords {
  const { allOf = [], format = '' } = schema;
  const meant = FORMATS[format];
  return meant === undefined ? schema : { ...schema, allOf: [...allOf, meant] };
}

/** Rounds an integer to a double on the same side of the bounds of int64. */
export function rounded(value: unknown): unknown {
  if (typeof value === 'bigint') {
    if (!isInt64(value)) return Number(value) * 2;
    return Math.max(-MAX_INT64, Math.min(MAX_INT64, Number(value)));
  }
  if (Array.isArray(value)) return value.map(rounded);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, rounded(each)]));
}

/** Judges a request by what the texts of its parameters can mean. */
export function judgeRequest(judge: Verdict): Verdict {
  return (parts) => {
    const { path, query, header, ...body } = parts as Parts;
    const meanings = readings({ path, query, header }).map((each) => judge({ ...(each as JsonObject), ...body }));
    return meanings.find((faults) => faults.length === 0) ?? meanings[0] ?? [];
  };
}

const MAX_READINGS = 256;

/** The values that the text of a parameter can mean: `1` may be a string too. If there are too many, only the first. */
export function readings(value: JsonValue): readonly JsonValue[] {
  if (typeof value === 'string') return [value, ...literal(value)];
  if (isNumber(value) || typeof value === 'boolean') return [value, String(value)];
  if (typeof value !== 'object' || value === null) return [value];
  let found: readonly (readonly JsonValue[])[] = [[]];
  for (const each of Object.values(value)) {
    const more = readings(each);
    found = found.flatMap((items) => more.map((other) => [...items, other]));
    if (found.length > MAX_READINGS) return [value];
  }
  if (Array.isArray(value)) return found;
  const names = Object.keys(value);
  return found.map((items) => Object.fromEntries(names.map((name, at) => [name, items[at] ?? null])));
}

function literal(text: string): JsonValue[] {
  if (text === 'true' || text === 'false') return [text === 'true'];
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? [numberOf(text)] : [];
}
