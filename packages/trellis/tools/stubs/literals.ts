import { type Follow, inPlace, type Position } from 'trellis-contract';

/** The longest line that a literal takes. */
const WIDTH = 100;

/** A value as its generated type has it: a bigint where the contract has an int64, and no member that the type lacks. */
export function asTyped(value: unknown, position: Position, follow: Follow): unknown {
  if (Array.isArray(value)) return value.map((each, index) => asTyped(each, position.item(index), follow));
  // The values of an `enum` have types of their own, though no schema types their members.
  if (typeof value === 'bigint' && !position.int64 && Number.isSafeInteger(Number(value))) return Number(value);
  if (typeof value !== 'object' || value === null) return position.typed(value);
  // Beside declared members, openapi-typescript allows others only where a schema says so.
  const isOpen =
    position.names.size === 0 ||
    inPlace(position.roots, follow).some(
      ({ additionalProperties = false, patternProperties }) =>
        additionalProperties !== false || patternProperties !== undefined,
    );
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => isOpen || position.names.has(name))
      .map(([name, each]) => [name, asTyped(each, position.member(name), follow)]),
  );
}

/** Writes a value as an expression of TypeScript. */
export function literal(value: unknown, indent = ''): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return quoted(value);
  // Zeros do: the contract has only bounds for the length of bytes.
  if (value instanceof Uint8Array) return `new Uint8Array(${value.length})`;
  if (Array.isArray(value))
    return listed(
      '[]',
      value.map((each) => literal(each, `${indent}  `)),
      indent,
    );
  if (typeof value !== 'object' || value === null) return String(value);
  return object(
    Object.entries(value).map(([name, each]) => [name, literal(each, `${indent}  `)] as const),
    indent,
  );
}

/** Expressions that may look like names, and cannot stand alone for a member. */
const NO_NAMES = /^(?:true|false|null|\d.*)$/;

/** @param members each with the expression of its value */
export function object(members: readonly (readonly [name: string, expression: string])[], indent = ''): string {
  const texts = members.map(([name, text]) =>
    name === text && !NO_NAMES.test(text) ? name : `${memberName(name)}: ${text}`,
  );
  return listed('{}', texts, indent);
}

function listed([open = '', close = '']: string, texts: readonly string[], indent: string): string {
  if (texts.length === 0) return open + close;
  const space = open === '{' ? ' ' : '';
  const line = `${open}${space}${texts.join(', ')}${space}${close}`;
  if (!line.includes('\n') && indent.length + line.length <= WIDTH) return line;
  return `${open}\n${texts.map((text) => `${indent}  ${text},\n`).join('')}${indent}${close}`;
}

function memberName(name: string): string {
  // Without brackets, this name would set the prototype.
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

export function quoted(text: string): string {
  const json = JSON.stringify(text);
  return /['\\]/.test(json) ? json : `'${text}'`;
}
