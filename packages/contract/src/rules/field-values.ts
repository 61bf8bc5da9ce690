import { TYPES } from '../schema/subschemas.ts';
import type { Server } from '../schema/document.ts';
import { isObject, NUMBER_FORMATS } from '../schema/exact.ts';
import { SILENT_FORMATS, STRING_FORMATS } from '../schema/formats.ts';
import { urlOf, variablesOf } from './addresses.ts';
import { MAX_BINARY_BODY_BYTES } from './body-limit.ts';

// The values that the fields of vocabulary.ts may have.

/** @returns what is wrong with a value, as the end of a sentence that begins with the field's name */
export type ValueCheck = (value: unknown, holder: Readonly<Record<string, unknown>>) => string | undefined;

export const must =
  (what: string, isValid: (value: unknown) => boolean): ValueCheck =>
  (value) =>
    isValid(value) ? undefined : `must be ${what}`;

export const text = must('a string', (value) => typeof value === 'string');
export const flag = must('true or false', (value) => typeof value === 'boolean');
export const marker: ValueCheck = (value, holder) =>
  holder['readOnly'] === true && holder['writeOnly'] === true
    ? 'must not be combined with its opposite: the member could never be sent'
    : flag(value, holder);
export const count = must('an integer of at least 0', (value) => Number.isInteger(value) && Number(value) >= 0);
export const bodyLimit = must(
  `an integer from 1 to ${MAX_BINARY_BODY_BYTES}`,
  (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_BINARY_BODY_BYTES,
);
const isNumber = (value: unknown) => typeof value === 'bigint' || Number.isFinite(value);
export const number = must('a number', isNumber);
export const positive = must('a number above 0', (value) => isNumber(value) && Number(value) > 0);
/** document.ts reads integers beyond ±9007199254740991 as bigints, which only the format int64 allows. */
export const ofInt64 =
  (check: ValueCheck): ValueCheck =>
  (value, holder) =>
    holder['format'] !== 'int64' && holdsBigint(value) ? INEXACT : check(value, holder);
export const INEXACT = 'goes beyond ±9007199254740991, where doubles do not hold every integer: add format: int64';
const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
export const names = must('a list of strings', isNames);
export const isFilled = (value: unknown) => Array.isArray(value) && value.length > 0;
export const oneOf = (...allowed: readonly unknown[]) => must(allowed.join(' or '), (value) => allowed.includes(value));

export const types: ValueCheck = (value) => {
  const listed = [value].flat();
  if (listed.includes(null)) return 'must have "null" in quotes, which make it a string';
  const different = new Set<unknown>(listed);
  const areTypes = listed.length > 0 && different.size === listed.length && different.isSubsetOf(TYPES);
  return areTypes ? undefined : `must be one or more of ${[...TYPES].join(', ')}`;
};

export const FORMATS = [...Object.keys(NUMBER_FORMATS), ...Object.keys(STRING_FORMATS), ...SILENT_FORMATS];

export const format: ValueCheck = (value, { type }) => {
  if (!FORMATS.includes(String(value))) return `${String(value)} is not supported: use one of ${FORMATS.join(', ')}`;
  if (value !== 'int64' || [type].flat().includes('integer')) return undefined;
  return 'int64 must stand beside type: integer: write it, or, for digits in a text, a pattern in place of the format';
};

const mapOf = (what: string, isEntry: (entry: readonly [string, unknown]) => boolean) =>
  must(`a map of ${what}`, (value) => isObject(value) && Object.entries(value).every(isEntry));
export const meanings = mapOf(
  'numbers to their meanings',
  ([number, meaning]) => /^\d+$/.test(number) && typeof meaning === 'string',
);
export const dependents = mapOf('names to lists of names', ([, value]) => isNames(value));
export const mapping = mapOf('values to schemas', ([, value]) => typeof value === 'string');

export const pattern: ValueCheck = (value) => {
  try {
    new RegExp(String(value), 'u');
    return typeof value === 'string' ? undefined : 'must be a string';
  } catch (error) {
    return `does not compile: ${String(error)}`;
  }
};

export const patterns: ValueCheck = (value, holder) =>
  Object.keys(value as object)
    .map((each) => pattern(each, holder))
    .find((wrong) => wrong !== undefined);

/** Ajv generates object literals, in which this member would set the prototype. */
export const PROTOTYPE = '__proto__';
export const noPrototype = must(
  `without ${PROTOTYPE}`,
  (value) => !(Array.isArray(value) ? value : Object.keys(value as object)).includes(PROTOTYPE),
);

export const style: ValueCheck = (value, { in: location }) => {
  const styles = location === 'query' ? ['form', 'deepObject'] : ['simple'];
  return styles.includes(String(value))
    ? undefined
    : `${String(value)} is not supported in ${String(location)}: use ${styles.join(' or ')}`;
};

export const serverUrl: ValueCheck = (url, { variables }) => {
  if (typeof url !== 'string') return text(url, {});
  const [name] = variablesOf(urlOf({ url, variables } as Server));
  return name === undefined ? undefined : `has {${name}} without a default: add variables: { ${name}: { default: … } }`;
};

/** RFC 9110, section 5.6.2. */
export const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
export const FIELD_NAME = 'use letters, digits and hyphens';
/** Browsers, proxies and libraries send these fields, or give them a meaning of their own. */
const SENT_BY_CLIENTS =
  /^(?:(?:accept|access-control|content|if|proxy|sec|upgrade|x-forwarded)(?:-.*)?|baggage|cache-control|connection|cookie2?|date|dnt|expect|forwarded|from|host|keep-alive|max-forwards|origin|pragma|priority|range|referer|set-cookie|te|trace(?:parent|state)|trailer|transfer-encoding|user-agent|via|x-real-ip|x-request-id)$/i;
export const header: ValueCheck = (value) => {
  const name = String(value);
  if (/^authorization$/i.test(name)) return 'must not be Authorization: write type: http and scheme: bearer';
  if (TOKEN.test(name) && !SENT_BY_CLIENTS.test(name)) return noPrototype([name], {});
  return `must be a header field that clients do not send by themselves: write X-API-Key, say, in place of ${name}`;
};

export function holdsBigint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  return Object.values(value).some(holdsBigint);
}
