import { ErrorNumber, Refusal, type RequestFault } from '../refusal.ts';
import { OF_ANY_OTHER } from '../schema/subschemas.ts';
import { STRING_FORMATS } from '../schema/formats.ts';

/** What is wrong with one value of a message: `{ path: '/body/id', keyword: 'type', wanted: 'integer', … }`. */
export interface Fault {
  readonly path: string;
  readonly keyword?: string;
  /** The types, the format, the pattern or the limit that the value lacks. */
  readonly wanted?: unknown;
  /** In the words of Ajv, of exact.ts, or of an `x-pattern-message`. */
  readonly message: string;
}

/** A request breaks the contract. */
export class ContractBroken extends Refusal {
  /** All faults; `faults` has those that the client is told. */
  readonly found: readonly Fault[];

  constructor(found: readonly Fault[], request?: object) {
    const { words, told } = read(found, request);
    super(ErrorNumber.contractBroken, words, {}, undefined, told);
    this.found = found;
  }
}

/** @param why for the log */
export function tooMuchWork(why: string): Refusal {
  const said = 'the request takes too much work to check: send fewer or shorter values';
  return new Refusal(ErrorNumber.tooMuchWork, said, {}, why);
}

/** A reply breaks the contract. The message is for the log. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError';
  readonly faults: readonly Fault[];
  readonly words: string;

  /** @param reason why the reply could not be checked: it then has no faults */
  constructor(operation: string, faults: readonly Fault[], reason?: string) {
    const words = reason ?? inWords(faults);
    super(`the reply of ${operation} ${reason === undefined ? 'breaks the contract' : 'cannot be checked'}: ${words}`);
    this.faults = faults;
    this.words = words;
  }
}

/**
 * Bounds of a message: its faults, the faults that are read to find so many different ones, the characters of each
 * name, and those of each description, which may list all values of an enum. LONGEST_MESSAGE of required-failures.ts exceeds
 * them all.
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

/** The text of a parameter or of a header field is never null. */
const IN_TEXT = /^\/(?:path|query|headers?)\//;

const IS_NOT_ALLOWED: readonly string[] = ['false schema', ...OF_ANY_OTHER];

/** Whether a member is missing, or must not be there, whatever its value is. */
export function isOfName({ keyword = '' }: Fault): boolean {
  return keyword === 'required' || IS_NOT_ALLOWED.includes(keyword);
}

export function inWords(found: readonly Fault[]): string {
  return read(found).words;
}

/**
 * @param message the message that has the faults
 * @returns the faults to tell, and one sentence for each, with the number of the others
 */
function read(found: readonly Fault[], message: object = {}) {
  const faults = found.filter((fault) => !(IN_TEXT.test(fault.path) && String(typesIn(fault)) === 'null'));
  const named = new Map<string, RequestFault>();
  let count = 0;
  for (const fault of faults) {
    // One request can have thousands of faults, and each may have a path of megabytes.
    if (named.size === MAX_FAULTS || count === MAX_READ) break;
    const hint = isPlusLost(fault, message) ? ' (a + is a space in a query: send + as %2B)' : '';
    const { member, ...told } = tellOf(fault, hint);
    named.set(`${member} ${told.message}`, told);
    count++;
  }
  const rest = count < faults.length ? [`and ${faults.length - count} more`] : [];
  return { told: [...named.values()], words: [...named.keys(), ...rest].join('; ') };
}

function tellOf(fault: Fault, hint: string) {
  const [part = '', ...names] = fault.path.split('/').slice(1);
  // An escape has two characters.
  const shown = names.map((name) =>
    cut(unescaped(name.slice(0, 2 * MAX_NAME_LENGTH + 2)).toWellFormed(), MAX_NAME_LENGTH),
  );
  // The path is `headers` in a reply, `header` in a request.
  const where = (part === 'headers' ? 'header' : part) as RequestFault['in'];
  return {
    // The validator gives no path for a member whose name is empty.
    member: fault.path === '' ? 'a member whose name is empty' : [where, ...shown].join('.'),
    in: fault.path === '' ? 'body' : where,
    pointer: shown.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    keyword: fault.keyword ?? '',
    message: cut(predicate(fault), MAX_PREDICATE_LENGTH) + hint,
  } as const;
}

function typesIn({ keyword, wanted }: Fault): readonly string[] {
  return keyword === 'type' ? [wanted].flat().map(String) : [];
}

/** Whether a text in the query would be valid with `+` for each space: the client sent `+`, which means a space. */
function isPlusLost({ path, keyword, wanted }: Fault, request: object): boolean {
  const [part, ...names] = path.split('/').slice(1);
  if (part !== 'query') return false;
  const value = [part, ...names.map(unescaped)].reduce<unknown>(
    (node, name) => (node as Readonly<Record<string, unknown>> | undefined)?.[name],
    request,
  );
  if (typeof value !== 'string' || !value.includes(' ')) return false;
  const meant = value.replaceAll(' ', '+');
  if (keyword === 'format') return STRING_FORMATS[String(wanted)]?.(meant) === true;
  return keyword === 'pattern' && new RegExp(String(wanted), 'u').test(meant);
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}

function predicate(fault: Fault): string {
  const { path, keyword, wanted, message } = fault;
  if (isOfName(fault)) return keyword === 'required' ? 'is required' : 'is not allowed';
  switch (keyword) {
    case 'type': {
      const types = typesIn(fault).filter(
        (each, _, { length }) => each !== 'null' || length === 1 || !IN_TEXT.test(path),
      );
      return `must be ${types.map((each) => NOUNS[each] ?? each).join(' or ')}`;
    }
    case 'pattern':
      // The `x-pattern-message` of the contract, if it has one.
      return message;
    default:
      if (keyword === 'minLength' && wanted === 1) return 'must not be empty';
      // Ajv writes `NOT` in capitals, and `1 characters`.
      // eslint-disable-next-line no-restricted-syntax -- its words are told, and nothing depends on them
      return message
        .replace('NOT', 'not')
        .replace(/\b1 (byte|character|item|propertie)s$/, (_, noun: string) => `1 ${noun.replace('ie', 'y')}`);
  }
}
