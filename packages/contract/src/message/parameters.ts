import { isUtf8 } from 'node:buffer';
import { variablesOf } from '../rules/addresses.ts';
import { type Follow, locationOf, type Parameter, type Schema } from '../schema/document.ts';
import { ContractError } from '../contract-error.ts';
import { ErrorNumber, Refusal } from '../refusal.ts';
import { ContractBroken } from './faults.ts';
import { isJsonNumber } from '../schema/int64.ts';
import { type Holder, PlainObject } from './json.ts';
import { isExploded, isSpread, queryNames, requireReadable, structureOf } from './readable.ts';
import { Position } from '../schema/positions.ts';

/** A request without its body; path and query are percent-encoded. */
export interface SentRequest {
  /** Without the path where the operations are mounted. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A text that cannot be converted to the declared type stays a text, and the validator refuses it. */
export interface ParameterValues {
  readonly path: Holder;
  readonly query: Holder;
  readonly header: Holder;
}

/** Percent-encoded values by decoded name, in the order in which the client sent them. */
type RawQuery = Map<string, readonly string[]>;

/** How a text in one part of a request is decoded, and split at commas. */
interface Notation {
  readonly decode: (text: string) => string;
  readonly split: (text: string) => readonly string[];
}
const PATH: Notation = { decode: (text) => percentDecoded(text, 'path'), split: (text) => text.split(',') };
const QUERY: Notation = {
  // HTML forms send a space as `+`.
  decode: (text) => percentDecoded(text.replaceAll('+', ' '), 'query'),
  split: (text) => text.split(','),
};
const HEADER: Notation = {
  decode: (text) => text,
  split: (text) => text.split(',').map((each) => each.replace(/^[ \t]+|[ \t]+$/g, '')),
};

/** See OpenAPI 3.1, section 4.8.12, "Style Values". @throws ContractError for a parameter that cannot be read */
export function parameterReader(
  template: string,
  parameters: readonly Parameter[],
  follow: Follow,
): (sent: SentRequest) => ParameterValues {
  const names = variablesOf(template);
  const texts = template.split(/\{[^}]+\}/).map((text) => RegExp.escape(text));
  const pattern = new RegExp(`^${texts.join('([^/]+?)')}$`);
  const taken = new Set<string>();
  const readers = parameters.map((parameter) => {
    const position = new Position(parameter.schema, follow);
    requireReadable(parameter, position, follow);
    for (const each of queryNames(parameter, position)) {
      const isMember = parameters.some(
        ({ name, style }) => style === 'deepObject' && name !== parameter.name && each.startsWith(`${name}[`),
      );
      if (isMember || taken.has(each))
        throw new ContractError(
          `the parameter ${parameter.name} and another one both read ${each} in the query: rename one`,
          locationOf(parameter),
        );
      taken.add(each);
    }
    return { ...parameter, read: readerOf(parameter, position) };
  });
  return ({ path, query, headers }) => {
    const values = { path: new PlainObject(), query: new PlainObject(), header: new PlainObject() };
    const segments = names.length === 0 ? [] : (pattern.exec(path)?.slice(1) ?? []);
    const sent = {
      path: new Map(names.map((name, index) => [name, segments[index]])),
      query: readQuery(query),
      headers,
    };
    for (const { in: location, name, read } of readers) {
      const value = read(sent);
      if (value !== undefined) values[location][name] = value;
    }
    // The validator refuses names that no parameter has read.
    for (const [name, [text = '']] of sent.query) values.query[name] = text;
    return values;
  };
}

/** The schema of an object with the members path, query and header, by which their defaults are filled in. */
export function valuesSchema(parameters: readonly Parameter[]): Schema {
  const ofPart = (location: Parameter['in']) => {
    const own = parameters.filter((each) => each.in === location);
    const properties = Object.fromEntries(own.map(({ name, schema }) => [name, schema]));
    return { properties, additionalProperties: false };
  };
  const properties = { path: ofPart('path'), query: ofPart('query'), header: ofPart('header') };
  return { properties, additionalProperties: false };
}

interface SentTexts {
  readonly path: ReadonlyMap<string, string | undefined>;
  readonly query: RawQuery;
  readonly headers: SentRequest['headers'];
}

/** The returned function yields undefined for a missing parameter, and deletes from the query what it has read. */
function readerOf(parameter: Parameter, position: Position): (sent: SentTexts) => unknown {
  const { in: location, name } = parameter;
  const explode = isExploded(parameter);
  const isRepeated = explode && structureOf(position) === 'array';
  const valueOf = (text: string, notation: Notation) => readValue(text, notation, position, explode);
  if (location === 'path') {
    return ({ path }) => {
      const text = path.get(name);
      return text === undefined ? undefined : valueOf(text, PATH);
    };
  }
  if (location === 'header') {
    const field = name.toLowerCase();
    return ({ headers }) => {
      const text = headers[field];
      return typeof text === 'string' ? valueOf(utf8Decoded(text, name), HEADER) : undefined;
    };
  }
  const memberOf = memberNames(parameter, position);
  if (memberOf !== undefined) return ({ query }) => readMembers(query, name, position, memberOf);
  return ({ query }) => {
    const texts = query.get(name);
    if (texts === undefined) return undefined;
    query.delete(name);
    if (isRepeated) return texts.map((text, index) => readScalar(QUERY.decode(text), position.item(index)));
    return valueOf(onlyOne(texts, name), QUERY);
  };
}

/** @returns a function from a name of the query to a member of the parameter; undefined: the parameter is one text */
function memberNames(parameter: Parameter, position: Position): ((name: string) => string | undefined) | undefined {
  const { name, style } = parameter;
  if (style === 'deepObject') {
    const member = new RegExp(`^${RegExp.escape(name)}\\[([^[\\]]*)\\]$`);
    return (each) => member.exec(each)?.[1];
  }
  return isSpread(parameter, position) ? (each) => (position.names.has(each) ? each : undefined) : undefined;
}

function readMembers(
  query: RawQuery,
  parameter: string,
  position: Position,
  memberOf: (name: string) => string | undefined,
): unknown {
  let object: Holder | undefined;
  for (const [name, texts] of query) {
    const member = memberOf(name);
    if (member === undefined) continue;
    query.delete(name);
    object ??= new PlainObject();
    object[member] = readScalar(QUERY.decode(onlyOne(texts, parameter, member)), position.member(member));
  }
  return object;
}

function onlyOne(texts: readonly string[], ...names: readonly string[]): string {
  const [text = '', ...others] = texts;
  if (others.length === 0) return text;
  const path = ['', 'query', ...names.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
  throw new ContractBroken([{ path, message: 'is given twice' }]);
}

/** Reads a value from one text, in style `simple`, or `form` without explode. */
function readValue(text: string, { decode, split }: Notation, position: Position, isExploded: boolean): unknown {
  const structure = structureOf(position);
  if (structure === 'scalar') return readScalar(decode(text), position);
  const parts = text === '' ? [] : split(text);
  if (structure === 'array') return parts.map((part, index) => readScalar(decode(part), position.item(index)));
  // Exploded: `R=100,G=200`; otherwise `R,100,G,200`.
  const pairs = isExploded
    ? parts.map((part) => /^([^=]*)=(.*)$/s.exec(part)?.slice(1) ?? [])
    : Array.from({ length: Math.ceil(parts.length / 2) }, (_, index) => parts.slice(2 * index, 2 * index + 2));
  const object = new PlainObject();
  for (const [name = '', value] of pairs) {
    const member = decode(name);
    if (value === undefined || member in object) return decode(text);
    object[member] = readScalar(decode(value), position.member(member));
  }
  return object;
}

/** Reads a number or a boolean in the notation of JSON where the types allow one; any other text is a string. */
export function readScalar(text: string, position: Position): unknown {
  const { types, int64 } = position;
  if (types.has('integer') && isJsonNumber(text)) {
    const number = position.number(text);
    if (number === undefined)
      throw new Refusal(
        ErrorNumber.contractBroken,
        `a double would not keep the digits of the integer ${text.slice(0, 100)}, and the contract gives it no type`,
      );
    const isInteger = typeof number === 'bigint' || (Number.isInteger(number) && !int64);
    // Where the types allow no string, the number is kept, so that the fault says what the number must be.
    if (isInteger || (Number.isFinite(number) && (types.has('number') || !types.has('string')))) return number;
  }
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function readQuery(query: string): RawQuery {
  const values = new Map<string, string[]>();
  if (query === '') return values;
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const [, name = '', text = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    values.getOrInsertComputed(QUERY.decode(name), () => []).push(text);
  }
  return values;
}

function percentDecoded(text: string, where: string): string {
  try {
    if (/^[\x21-\x7e ]*$/.test(text)) return decodeURIComponent(text);
  } catch {
    // The throw below refuses the text.
  }
  throw new Refusal(ErrorNumber.malformedMessage, `the ${where} is not percent-encoded UTF-8`);
}

/** Node decodes headers as Latin-1. @throws Refusal */
function utf8Decoded(text: string, name: string): string {
  if (!/[\x80-\xff]/.test(text)) return text;
  const bytes = Buffer.from(text, 'latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new Refusal(ErrorNumber.malformedMessage, `the header ${name} is not UTF-8`);
}
