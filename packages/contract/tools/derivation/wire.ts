import type { Declared } from '../../src/message/operation.ts';
import type { Parameter } from '../../src/schema/document.ts';
import { MAX_JSON_DEPTH } from '../../src/message/json.ts';
import type { SentRequest } from '../../src/message/parameters.ts';
import { isExploded } from '../../src/message/readable.ts';
import { exactJson } from '../../src/schema/int64.ts';
import type { ReadBody, TextBody } from '../../src/request.ts';
import { isObject, type JsonValue, type JsonObject } from './values.ts';

/** The values of a request: its parameters by location and name, and its body. */
export interface Parts extends Readonly<Record<Parameter['in'], JsonObject>> {
  readonly body?: JsonValue;
}

export interface Wire {
  readonly sent: SentRequest & { readonly headers: Readonly<Record<string, string>> };
  readonly body: TextBody | Bytes | undefined;
}

interface Bytes extends ReadBody {
  readonly value: Uint8Array<ArrayBuffer>;
}

/** What is sent as the body. */
export function payloadOf(body: TextBody | Bytes): string | Uint8Array<ArrayBuffer> {
  return 'text' in body ? body.text : body.value;
}

/** As many bytes as a string has characters: no schema says more of them, and these are not UTF-8. */
export function bytesFor(value: JsonValue): Uint8Array<ArrayBuffer> {
  const length = typeof value === 'string' ? Array.from(value).length : 0;
  return Uint8Array.from({ length }, (_, index) => 255 - (index % 256));
}

/** A request cannot express the value. */
class Unsendable extends Error {}

/**
 * Writes a request (OpenAPI 3.1, section 4.8.12, "Style Values").
 *
 * @param spell writes the body
 * @returns undefined if the values cannot be sent
 */
export function wireOf(
  operation: Pick<Declared, 'path' | 'parameters' | 'body'>,
  mediaType: string | undefined,
  parts: Parts,
  spell: (value: JsonValue) => string = exactJson,
): Wire | undefined {
  if (parts.body !== undefined && depthOf(parts.body) > MAX_JSON_DEPTH) return undefined;
  try {
    if (mediaType === undefined || parts.body === undefined) return { sent: sentOf(operation, parts), body: undefined };
    const { kind = 'json' } = operation.body?.types.get(mediaType) ?? {};
    const body = kind === 'json' ? { mediaType, text: spell(parts.body) } : plainBody(mediaType, kind, parts.body);
    return { sent: sentOf(operation, parts), body };
  } catch (error) {
    if (error instanceof Unsendable) return undefined;
    throw error;
  }
}

function plainBody(mediaType: string, kind: 'text' | 'bytes', value: JsonValue): TextBody | Bytes {
  // HTTP does not tell an empty body from none.
  if (typeof value !== 'string' || value === '' || !value.isWellFormed()) throw new Unsendable();
  return kind === 'text' ? { mediaType, text: value } : { mediaType, value: bytesFor(value) };
}

function depthOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

export function partsOf(value: JsonValue): Parts | undefined {
  if (!isObject(value)) return undefined;
  const { path, query, header, body, ...others } = value;
  const isPart = (part: JsonValue | undefined): part is JsonObject => isObject(part);
  if (!isPart(path) || !isPart(query) || !isPart(header) || Object.keys(others).length > 0) return undefined;
  return { path, query, header, ...(body !== undefined && { body }) };
}

function sentOf({ path: template, parameters }: Pick<Declared, 'path' | 'parameters'>, parts: Parts): Wire['sent'] {
  const texts = (location: Parameter['in']) => {
    const declared = parameters.filter((each) => each.in === location);
    const others = new Map(Object.entries(parts[location]));
    const found = declared.flatMap((parameter) => {
      const value = others.get(parameter.name);
      others.delete(parameter.name);
      return value === undefined ? [] : [[parameter.name, textsOf(parameter, value)] as const];
    });
    return { found, others };
  };
  const [path, query, header] = [texts('path'), texts('query'), texts('header')];
  const names = [...template.matchAll(/\{([^}]+)\}/g)].length;
  if (path.found.length < names || path.others.size > 0 || header.others.size > 0) throw new Unsendable();
  const unknown = [...query.others].map(([name, value]) => {
    if (name.includes('[')) throw new Unsendable();
    return `${encode(name)}=${leaf(value, 'query')}`;
  });
  return {
    path: path.found.reduce((filled, [name, [text = '']]) => filled.replace(`{${name}}`, () => text), template),
    query: [...query.found.flatMap(([, pairs]) => pairs), ...unknown].join('&'),
    headers: Object.fromEntries(header.found.map(([name, [text = '']]) => [name.toLowerCase(), text])),
  };
}

/** The pairs for a query, or the single text for a path or a header. */
function textsOf(parameter: Parameter, value: JsonValue): string[] {
  const { name, in: location, style } = parameter;
  const explode = isExploded(parameter);
  const pair = (left: string, text: string) => `${encode(left)}=${text}`;
  const whole = (text: string) => {
    // In a path, the empty text, `.` and `..` have another meaning.
    if (location === 'path' && ['', '.', '..'].includes(text)) throw new Unsendable();
    if (location === 'header' && !/^[!-~]([ -~]*[!-~])?$/.test(text)) throw new Unsendable();
    return [location === 'query' ? pair(name, text) : text];
  };
  if (typeof value !== 'object' || value === null) return whole(leaf(value, location));
  const texts = Object.values(value).map((each) => leaf(each, location));
  if (texts.join('') === '') throw new Unsendable();
  if (Array.isArray(value))
    return explode && location === 'query' ? texts.map((text) => pair(name, text)) : whole(texts.join());
  const names = Object.keys(value);
  if (style === 'deepObject') {
    if (names.some((each) => /[[\]]/.test(each))) throw new Unsendable();
    return texts.map((text, at) => pair(`${name}[${names[at] ?? ''}]`, text));
  }
  const members = names.map((each, at) => [leaf(each, location), texts[at] ?? ''] as const);
  if (explode && location === 'query') return members.map((each) => each.join('='));
  return whole(members.map((each) => each.join(explode ? '=' : ',')).join());
}

function encode(text: string): string {
  // Forms encode a space as `+`.
  return encodeURIComponent(text).replaceAll('%20', '+');
}

function leaf(value: JsonValue, location: Parameter['in']): string {
  if (value === null || typeof value === 'object') throw new Unsendable();
  const text = String(value);
  if (location === 'header' && /[,=]/.test(text)) throw new Unsendable();
  if (location === 'header') return text;
  return location === 'query' ? encode(text) : encodeURIComponent(text);
}
