/** Clients write requests and read replies. */
export type Side = 'request' | 'reply';

/** How clients break: `breaks clients: ` stands before these. */
const REFUSED = 'the service refuses what they may send today';
const UNTOLD = 'they get what the released contract does not declare';
const MISSING = 'what they rely on may be missing';
const GONE = 'the service no longer sends what they read';
const UNCALLED = 'what they call no longer exists';
const MEANT = 'what they read has another meaning';
const RENAMED = 'generated code calls the operation by its old name';
const OMITTED = 'a message without it has another meaning';
const UNKNOWN = 'this difference cannot be judged, so it counts as breaking';

/** `compatible`, how clients break, or undefined if the difference cannot occur on this side. */
type Verdict = 'compatible' | (string & {}) | undefined;

interface Rule {
  readonly request: Verdict;
  readonly reply: Verdict;
  readonly because: string;
}

const rule = (request: Verdict, reply: Verdict, because: string): Rule => ({ request, reply, because });

/**
 * What each kind of difference between two contracts means to clients that know the old one. A set of valid values may
 * grow in requests and shrink in replies; the table names the exceptions as decisions. docs/releasing.md shows this table.
 */
export const RULES = {
  'operation added': rule('compatible', undefined, 'no client calls it yet'),
  'operation added at a path in use': rule(
    UNCALLED,
    undefined,
    'until now, a path with parameters matched these requests',
  ),
  'operation removed': rule(UNCALLED, undefined, 'its path or its method no longer exists'),
  'operationId changed': rule(RENAMED, undefined, 'generated clients name a function after it'),
  'server added': rule('compatible', undefined, 'clients keep the servers that they know'),
  'server removed': rule(UNCALLED, undefined, 'clients keep its address'),
  'security removed or an alternative added': rule(
    'compatible',
    undefined,
    'credentials that clients still send do no harm',
  ),
  'security added or changed': rule(REFUSED, undefined, 'the credentials of clients no longer suffice'),
  'optional parameter added': rule('compatible', undefined, 'clients need not send it'),
  'optional header parameter added': rule(REFUSED, undefined, 'clients may already send this header, with any value'),
  'required parameter added': rule(REFUSED, undefined, 'no client sends it yet'),
  'parameter removed': rule(REFUSED, undefined, 'unknown parameters are refused, and so is one that moved'),
  'optional body added': rule('compatible', undefined, 'clients need not send it'),
  'required body added': rule(REFUSED, undefined, 'no client sends it yet'),
  'body removed': rule(REFUSED, undefined, 'an operation accepts only what it declares'),
  'media type added': rule('compatible', UNTOLD, 'the service does not negotiate: clients may get the new one'),
  'media type removed': rule(REFUSED, GONE, 'clients send or read the old one'),
  'became required': rule(REFUSED, 'compatible', 'a parameter, a body, a property or a header'),
  'became optional': rule('compatible', MISSING, 'a parameter, a body, a property or a header'),
  'optional property added': rule(
    'compatible',
    'compatible',
    'this project decided that clients ignore unknown members',
  ),
  'required property added': rule(REFUSED, 'compatible', 'no client sends it yet; in replies, clients ignore it'),
  'property removed': rule(REFUSED, GONE, 'clients may send it or read it, even an optional one'),
  'object opened': rule('compatible', 'compatible', 'this project decided that clients ignore unknown members'),
  'object closed': rule(REFUSED, 'compatible', 'by `additionalProperties: false`'),
  'limit widened': rule('compatible', 'compatible', 'this project decided that a limit may be widened later'),
  'limit narrowed': rule(REFUSED, 'compatible', 'a length, a bound, a count, a new pattern, `x-max-body-bytes`'),
  'schema became false': rule(REFUSED, GONE, 'no value is valid, also through `allOf`, `readOnly`, `writeOnly`'),
  'pattern changed': rule(UNKNOWN, UNKNOWN, 'the check cannot compare two patterns'),
  'values added': rule('compatible', UNTOLD, 'by `type`, `enum`, `const`, `multipleOf`, `allOf`, `anyOf` …'),
  'values removed': rule(REFUSED, 'compatible', 'by the same keywords'),
  'values changed': rule(REFUSED, UNTOLD, 'some values added, others removed'),
  'format changed': rule(UNKNOWN, UNKNOWN, 'the check knows only that int32 is a part of int64'),
  'default changed': rule(OMITTED, OMITTED, 'adding or removing a default counts as a change'),
  'reply status added': rule(undefined, UNTOLD, 'for a failure status: only if there was no `default` reply'),
  'failure status added to a default reply': rule(undefined, 'compatible', 'clients handle it as the `default` reply'),
  'reply status of success removed': rule(undefined, GONE, 'clients wait for it'),
  'reply status of failure removed': rule(undefined, 'compatible', 'clients handle it as `default`, if there is one'),
  'default reply removed': rule(undefined, UNTOLD, 'the service may still send the failures that it covered'),
  'error number added': rule('compatible', 'compatible', 'in `x-error-numbers`; clients can go by the status'),
  'error number removed': rule(UNKNOWN, GONE, 'clients may rely on it, as on a property'),
  'error number changed': rule(UNKNOWN, MEANT, 'the meaning of a number never changes'),
  'reply header added': rule(undefined, 'compatible', 'clients ignore header fields that they do not know'),
  'reply header removed': rule(undefined, GONE, 'clients may rely on it, as on a property'),
  'any other difference': rule(UNKNOWN, UNKNOWN, '`oneOf`, `not`, `if`, `patternProperties`, `style`, `links` …'),
} as const satisfies Readonly<Record<string, Rule>>;
export type RuleName = keyof typeof RULES;

/** A difference between two contracts. Differences of prose are left out. */
export interface Difference {
  /** The place of the difference, such as `POST /plants, request body, name.maxLength`. */
  readonly where: string;
  /** Such as `1000 → 500`. */
  readonly what: string;
  readonly rule: RuleName;
  readonly side: Side;
}

/** How clients break by a difference; undefined if they do not. */
export function breakage({ rule, side }: Difference): string | undefined {
  const verdict: Verdict = RULES[rule][side];
  if (verdict === undefined) throw new Error(`there is no "${rule}" in a ${side}`);
  return verdict === 'compatible' ? undefined : verdict;
}

/** A line for each difference: where, what, and what it does to clients. */
export function linesOf(differences: readonly Difference[]): string[] {
  return differences.map((difference) => {
    const how = breakage(difference);
    return `${difference.where}: ${difference.what}; ${how === undefined ? 'compatible' : `breaks clients: ${how}`}`;
  });
}
