/** Which way something goes: clients write requests and read replies. */
export type Side = 'request' | 'reply';

/** How clients break. What they send must stay accepted; what they are sent must be what they were told. */
const REFUSED = 'what they may send today is refused';
const UNTOLD = 'they are sent what they were not told of';
const MISSING = 'what they count on may be missing';
const GONE = 'what they read is no longer sent';
const UNCALLED = 'what they call is not there';
const MEANT = 'what they read means something else';
const RENAMED = 'code generated from the contract calls it by its old name';
const OMITTED = 'leaving it out means something else';
const UNKNOWN = 'this cannot be judged here, so it counts as breaking';

/** `compatible`, how clients break, or undefined where the difference cannot occur. */
type Verdict = 'compatible' | (string & {}) | undefined;

interface Rule {
  readonly request: Verdict;
  readonly reply: Verdict;
  readonly because: string;
}

const rule = (request: Verdict, reply: Verdict, because: string): Rule => ({ request, reply, because });

/**
 * What each kind of difference between two contracts means to clients that know the old one. A set of valid values may
 * grow in requests and shrink in replies; the exceptions say why they are some. The README has this table.
 */
export const RULES = {
  'operation added': rule('compatible', undefined, 'no client calls it yet'),
  'operation added over another': rule(UNCALLED, undefined, 'its path is one that a path with parameters took'),
  'operation removed': rule(UNCALLED, undefined, 'its path or its method is unknown now'),
  'operationId changed': rule(RENAMED, undefined, 'generated clients name their functions by it'),
  'server added': rule('compatible', undefined, 'the others are there still'),
  'server removed': rule(UNCALLED, undefined, 'clients keep the address'),
  'security lifted or another way in added': rule('compatible', undefined, 'credentials sent all the same do no harm'),
  'security demanded or changed': rule(REFUSED, undefined, 'credentials that suffice today do not'),
  'optional parameter added': rule('compatible', undefined, 'no client has to send it'),
  'optional header parameter added': rule(REFUSED, undefined, 'clients may send such a header already, with any value'),
  'required parameter added': rule(REFUSED, undefined, 'no client sends it yet'),
  'parameter removed': rule(REFUSED, undefined, 'unknown ones are refused; so is one that has moved'),
  'optional body added': rule('compatible', undefined, 'no client has to send it'),
  'required body added': rule(REFUSED, undefined, 'no client sends it yet'),
  'body removed': rule(REFUSED, undefined, 'an operation takes only what is declared'),
  'media type added': rule('compatible', UNTOLD, 'replies are not negotiated: what is declared is sent'),
  'media type removed': rule(REFUSED, GONE, 'clients send or read the old one'),
  'became required': rule(REFUSED, 'compatible', 'a parameter, a body, a property, a header'),
  'became optional': rule('compatible', MISSING, 'the same'),
  'optional property added': rule('compatible', 'compatible', 'decided: clients ignore members that they do not know'),
  'required property added': rule(REFUSED, 'compatible', 'the same; in requests no client sends it yet'),
  'property removed': rule(REFUSED, GONE, 'optional has meant sometimes, not never'),
  'object opened': rule('compatible', 'compatible', 'decided: clients ignore members that they do not know'),
  'object closed': rule(REFUSED, 'compatible', '`additionalProperties: false`'),
  'limit widened': rule('compatible', 'compatible', 'decided: limits may be widened later, never narrowed'),
  'limit narrowed': rule(REFUSED, 'compatible', 'lengths, bounds, counts, patterns, `x-max-body-bytes`'),
  'became false': rule(REFUSED, GONE, 'no value fits, also by `allOf`, `readOnly`, `writeOnly`'),
  'pattern changed': rule(UNKNOWN, UNKNOWN, 'which strings match both is not found out; without it: widened'),
  'values added': rule('compatible', UNTOLD, '`type`, `enum`, `const`, `multipleOf`, `allOf`, `anyOf` …'),
  'values removed': rule(REFUSED, 'compatible', 'the same'),
  'values changed': rule(REFUSED, UNTOLD, 'some added, some removed'),
  'format changed': rule(UNKNOWN, UNKNOWN, 'only that int32 is a part of int64 is known'),
  'default changed': rule(OMITTED, OMITTED, 'also added or removed'),
  'reply status added': rule(undefined, UNTOLD, 'unless it is a failure that `default` has told of'),
  'reply status added under default': rule(undefined, 'compatible', 'if it is what `default` tells'),
  'reply status of success removed': rule(undefined, GONE, 'clients wait for it'),
  'reply status of failure removed': rule(undefined, 'compatible', 'if `default`, where there, tells the same'),
  'default reply removed': rule(undefined, UNTOLD, 'the failures that it told of may still be sent'),
  'error number added': rule('compatible', 'compatible', 'in `x-error-numbers`; the status says what it is like'),
  'error number removed': rule(UNKNOWN, GONE, 'as with properties'),
  'error number changed': rule(UNKNOWN, MEANT, 'a number keeps its meaning, to the letter'),
  'reply header added': rule(undefined, 'compatible', 'clients ignore headers that they do not know'),
  'reply header removed': rule(undefined, GONE, 'as with properties'),
  'anything else': rule(UNKNOWN, UNKNOWN, '`oneOf`, `not`, `if`, `patternProperties`, `style`, `links` …'),
} as const satisfies Readonly<Record<string, Rule>>;
export type RuleName = keyof typeof RULES;

/** A difference between two contracts that is not one of prose only. */
export interface Difference {
  /** Such as `POST /plants, request body, name.maxLength`. */
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
