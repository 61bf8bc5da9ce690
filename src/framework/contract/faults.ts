import { ErrorNumber, Refusal } from './errors.ts';

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

export function contractBroken(faults: readonly Fault[], patterns?: ReadonlyMap<string, string>): Refusal {
  return new Refusal(ErrorNumber.contractBroken, inWords(faults, patterns));
}

/** @param patterns messages for values that do not match, by pattern */
export function inWords(faults: readonly Fault[], patterns: ReadonlyMap<string, string> = new Map()): string {
  const named = new Set<string>();
  let read = 0;
  for (const fault of faults) {
    // One request can have thousands of faults, and each may have a path of megabytes.
    if (named.size === MAX_FAULTS || read === MAX_READ) break;
    named.add(sentence(fault, patterns));
    read++;
  }
  if (read < faults.length) named.add(`and ${faults.length - read} more`);
  return [...named].join('; ');
}

function sentence({ path, message, errorCode = '' }: Fault, patterns: ReadonlyMap<string, string>): string {
  // The validator gives no path for a member whose name is empty.
  const member = path === '' ? 'a member whose name is empty' : memberOf(path);
  return `${member} ${cut(predicate(message, errorCode.split('.')[0] ?? '', patterns), MAX_PREDICATE_LENGTH)}`;
}

/** `/body/list/0/id` as `body.list.0.id`. */
function memberOf(path: string): string {
  const [part = '', ...names] = path.split('/').slice(1);
  const shown = names.map((name) => {
    // An escape has two characters.
    const text = name
      .slice(0, 2 * MAX_NAME_LENGTH + 2)
      .replaceAll('~1', '/')
      .replaceAll('~0', '~')
      .toWellFormed();
    return cut(text, MAX_NAME_LENGTH);
  });
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
