import { ErrorNumber, Refusal } from '../errors.ts';
import { STRING_FORMATS } from '../schema/formats.ts';

/** As express-openapi-validator reports it: `{ path: '/body/id', message: 'must be integer', errorCode: 'type.…' }`. */
export interface Fault {
  readonly path: string;
  readonly message: string;
  readonly errorCode?: string;
}

/**
 * Bounds of a message: its faults, those that are read to find different ones, the characters of each name, and those of
 * what is wrong, which may list all values of an enum. LONGEST_MESSAGE of failures.ts is longer than what they allow.
 */
const MAX_FAULTS = 10;
const MAX_READ = 30;
const MAX_NAME_LENGTH = 60;
const MAX_PREDICATE_LENGTH = 1000;

const NOUNS: Readonly<Record<string, string>> = {
  integer: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

/** No text of a parameter or of a header field is null. */
const IN_TEXT = /^\/(?:path|query|headers?)\//;

export function contractBroken(
  faults: readonly Fault[],
  patterns?: ReadonlyMap<string, string>,
  request?: object,
): Refusal {
  return new Refusal(ErrorNumber.contractBroken, inWords(faults, patterns, request));
}

/**
 * @param patterns messages for values that do not match, by pattern
 * @param message in which the faults are
 */
export function inWords(
  found: readonly Fault[],
  patterns: ReadonlyMap<string, string> = new Map(),
  message: object = {},
): string {
  const faults = found.filter(({ path, message: said }) => !(IN_TEXT.test(path) && said === 'must be null'));
  const named = new Set<string>();
  let read = 0;
  for (const fault of faults) {
    // One request can have thousands of faults, and each may have a path of megabytes.
    if (named.size === MAX_FAULTS || read === MAX_READ) break;
    const hint = isPlusLost(fault, message) ? ' (a + is a space in a query: send + as %2B)' : '';
    named.add(sentence(fault, patterns) + hint);
    read++;
  }
  if (read < faults.length) named.add(`and ${faults.length - read} more`);
  return [...named].join('; ');
}

function sentence({ path, message, errorCode = '' }: Fault, patterns: ReadonlyMap<string, string>): string {
  // The validator gives no path for a member whose name is empty.
  const member = path === '' ? 'a member whose name is empty' : memberOf(path);
  const keyword = errorCode.split('.')[0] ?? '';
  const said = keyword === 'type' && IN_TEXT.test(path) ? message.replace(/\bnull,|,null\b/, '') : message;
  return `${member} ${cut(predicate(said, keyword, patterns), MAX_PREDICATE_LENGTH)}`;
}

/** Whether a text in the query lacks nothing but the `+` that its client sent as it is. */
function isPlusLost({ path, message }: Fault, request: object): boolean {
  const [part, ...names] = path.split('/').slice(1);
  if (part !== 'query') return false;
  const value = [part, ...names.map(unescaped)].reduce<unknown>(
    (node, name) => (node as Readonly<Record<string, unknown>> | undefined)?.[name],
    request,
  );
  if (typeof value !== 'string' || !value.includes(' ')) return false;
  const meant = value.replaceAll(' ', '+');
  const [, keyword, wanted = ''] = /^must match (format|pattern) "(.*)"$/s.exec(message) ?? [];
  return keyword === 'format'
    ? STRING_FORMATS[wanted]?.(meant) === true
    : keyword !== undefined && new RegExp(wanted, 'u').test(meant);
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** `/body/list/0/id` as `body.list.0.id`. */
function memberOf(path: string): string {
  const [part = '', ...names] = path.split('/').slice(1);
  // An escape has two characters.
  const shown = names.map((name) =>
    cut(unescaped(name.slice(0, 2 * MAX_NAME_LENGTH + 2)).toWellFormed(), MAX_NAME_LENGTH),
  );
  // The path is `headers` in a reply, `header` in a request.
  return [part === 'headers' ? 'header' : part, ...shown].join('.');
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}

function predicate(message: string, keyword: string, patterns: ReadonlyMap<string, string>): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'false schema':
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not allowed';
    case 'type':
      return `must be ${message
        .replace(/^must be /, '')
        .split(',')
        .map((type) => NOUNS[type] ?? type)
        .join(' or ')}`;
    case 'format':
      if (message.includes('"int64"')) {
        return 'must be an integer from -9223372036854775808 to 9223372036854775807';
      }
      return message;
    case 'pattern':
      return patterns.get(/^must match pattern "(.*)"$/s.exec(message)?.[1] ?? '') ?? message;
    case 'minimum':
      return message.replace('>=', 'at least');
    case 'maximum':
      return message.replace('<=', 'at most');
    default:
      if (message === 'must NOT have fewer than 1 characters') return 'must not be empty';
      // Ajv writes `NOT` in capitals, and `1 characters`.
      return message
        .replace('NOT', 'not')
        .replace(/\b1 (character|item|propertie)s$/, (_, noun: string) => `1 ${noun.replace('ie', 'y')}`);
  }
}
