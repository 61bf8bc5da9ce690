import { type AnySchema, type Content, type DeclaredOperation, type Follow, refuse, type Schema } from './document.ts';
import { exactJson } from './int64.ts';
import { joined } from './positions.ts';

export const DEFAULT_BODY_BYTES = 64 * 1024;
/** A verdict on 1 MiB takes at most half a second, in which the process answers no other request (`test:attacks`). */
export const MAX_BODY_BYTES = 1024 * 1024;

/** @throws ContractError if `x-max-body-bytes` is out of range, or the schemas allow a larger body */
export function readBodyLimit(operation: DeclaredOperation, content: Content, follow: Follow, where: string): number {
  const { 'x-max-body-bytes': limit = DEFAULT_BODY_BYTES } = operation;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_BODY_BYTES)
    refuse(operation, where, `x-max-body-bytes must be an integer from 1 to ${MAX_BODY_BYTES}`);
  for (const [type, media] of Object.entries(content)) {
    const bytes = largestValue(media.schema, follow);
    if (bytes <= limit) continue;
    const cure = bytes <= MAX_BODY_BYTES ? `declare x-max-body-bytes: ${bytes}, or lower` : 'lower';
    const what = `a body that the schema allows has up to ${bytes} bytes, the limit is ${limit}`;
    refuse(media, `${where}, ${type}`, `${what}: ${cure} maxItems or maxLength`);
  }
  return limit;
}

/** The size as JSON, in bytes. Parts without a bound count as 0; schemas that apply together are added up. */
function largestValue(root: AnySchema, follow: Follow): number {
  const known = new Map<Schema, number>();
  return largest(root);

  function largest(schema: AnySchema | undefined): number {
    if (typeof schema !== 'object') return 0;
    let bytes = known.get(schema);
    if (bytes !== undefined) return bytes;
    // A schema that contains itself has no bound.
    known.set(schema, 0);
    const { allOf = [], anyOf = [], oneOf = [], dependentSchemas = {}, then, else: otherwise } = schema;
    const target = schema.$ref === undefined ? undefined : follow(schema.$ref);
    const together = [...allOf, ...Object.values(dependentSchemas), target];
    const alternatives = [anyOf, oneOf, [then, otherwise]];
    bytes = own(schema) + sum(together.map(largest)) + sum(alternatives.map((each) => max(each.map(largest))));
    known.set(schema, bytes);
    return bytes;
  }

  function own(schema: Schema): number {
    const { type, enum: values = schema.const === undefined ? undefined : [schema.const] } = schema;
    if (values !== undefined) return max(values.map(jsonBytes));
    const sizes: Readonly<Record<string, () => number>> = {
      string: () => (schema.maxLength === undefined ? 0 : 2 + 4 * schema.maxLength),
      integer: () => digits(schema),
      boolean: () => 5,
      null: () => 4,
      array: () => elements(schema),
      object: () => members(schema),
    };
    const types = type === undefined ? ['string', 'integer', 'array', 'object'] : [type].flat();
    return max(types.map((each) => sizes[each]?.() ?? 0));
  }

  function isReadOnly(schema: AnySchema): boolean {
    return joined([schema], follow).some(({ readOnly }) => readOnly);
  }

  function elements({ prefixItems = [], items, maxItems = prefixItems.length }: Schema): number {
    const first = prefixItems.slice(0, maxItems);
    const others = items === false ? 0 : maxItems - first.length;
    return inBrackets(sum(first.map((each) => largest(each) + 1)) + others * (largest(items) + 1));
  }

  function members({ properties = {}, propertyNames, additionalProperties, maxProperties }: Schema): number {
    const sent = Object.entries(properties).filter(([, each]) => !isReadOnly(each));
    const declared = sent.map(([name, each]) => jsonBytes(name) + 2 + largest(each));
    const counted = declared.toSorted((one, other) => other - one).slice(0, maxProperties);
    const others = additionalProperties === false ? 0 : (maxProperties ?? 0) - counted.length;
    return inBrackets(sum(counted) + max([others]) * (largest(propertyNames) + 2 + largest(additionalProperties)));
  }
}

/** @param bytes of the content, with a comma after each part */
function inBrackets(bytes: number): number {
  return bytes === 0 ? 0 : bytes + 1;
}

function digits({ format, minimum, maximum }: Schema): number {
  if (minimum !== undefined && maximum !== undefined) return max([minimum, maximum].map(jsonBytes));
  return { int32: 11, int64: 20 }[format ?? ''] ?? 0;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(exactJson(value));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function max(numbers: readonly number[]): number {
  return numbers.reduce((most, each) => Math.max(most, each), 0);
}
