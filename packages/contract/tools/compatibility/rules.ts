/** How clients break: `breaks clients: ` stands before these. */
const REFUSED = 'the service refuses what they may send today';
const UNTOLD = 'they get what the released contract does not declare';
const GONE = 'the service no longer sends what they read';
const UNCALLED = 'what they call no longer exists';
const MEANT = 'what they read has another meaning';
const MISNAMED = 'they send or read the old name';
const RENAMED = 'generated code uses the old name';
const OMITTED = 'a message without it has another meaning';
const IGNORED = 'the service no longer reads what they send';

const COMPATIBLE = 'compatible';
/** The schemas differ, but no derived message shows how. */
const LOOK = 'look at it';

const rule = (verdict: string, because: string) => ({ verdict, because });

/** What each kind of difference means to clients that know the old contract: the table of docs/releasing.md. */
export const RULES = {
  'request refused': rule(REFUSED, 'the old contract accepts the message that is shown, the new one refuses it'),
  'reply not declared': rule(UNTOLD, 'the new contract sends the message that is shown, the old one forbids it'),
  'other messages': rule(COMPATIBLE, 'requests: more; replies: fewer, wider limits, members that clients ignore'),
  'reply narrowed': rule(COMPATIBLE, 'rows that are stored may break it, and then no client gets them'),
  'member of requests removed': rule(IGNORED, 'the service refuses it or, in an open object, ignores it'),
  'member of replies removed': rule(GONE, 'clients may rely on it, even if it is optional; a header too'),
  'member renamed': rule(MISNAMED, 'one with the same schema took its place in an object of requests or replies'),
  'other members kept': rule(COMPATIBLE, 'those that no schema names, where `additionalProperties` is new'),
  'other members of requests left out': rule(IGNORED, 'no schema names them: operations no longer get them'),
  'other members of replies left out': rule(GONE, 'no schema names them: `additionalProperties` kept them'),
  'operation added': rule(COMPATIBLE, 'no client calls it yet'),
  'requests of another operation taken': rule(
    UNCALLED,
    'both match some requests, and the other one got them; GET answers HEAD where its path declares none',
  ),
  'operation removed': rule(UNCALLED, 'its path or its method no longer exists'),
  'path parameter renamed': rule(RENAMED, 'requests match as before; generated clients name an argument after it'),
  'operationId changed': rule(RENAMED, 'generated clients name a function after it'),
  'server added': rule(COMPATIBLE, 'clients keep the servers that they know'),
  'server removed': rule(UNCALLED, 'clients keep its address'),
  'security added or changed': rule(REFUSED, 'the credentials of clients no longer suffice'),
  'security removed or an alternative added': rule(COMPATIBLE, 'credentials that clients still send do no harm'),
  'header parameter removed': rule(IGNORED, 'a header that is not declared is ignored'),
  'limit of a body lowered': rule(REFUSED, '`x-max-body-bytes`'),
  'limit of a body raised': rule(COMPATIBLE, '`x-max-body-bytes`'),
  'default changed': rule(OMITTED, 'adding or removing a default counts as a change'),
  'reply status added': rule(UNTOLD, 'for a failure status: only if there was no `default` reply'),
  'failure status added to a default reply': rule(COMPATIBLE, 'clients handle it as the `default` reply'),
  'reply status of success removed': rule(GONE, 'clients wait for it'),
  'reply status of failure removed': rule(COMPATIBLE, 'clients handle it as `default`, if there is one'),
  'default reply removed': rule(UNTOLD, 'the service may still send the failures that it covered'),
  'media type of a reply changed': rule(UNTOLD, 'the service does not negotiate: clients get the new one'),
  'error number added': rule(COMPATIBLE, 'clients can go by the status'),
  'error number removed': rule(GONE, 'clients may rely on it, as on a member'),
  'error number changed': rule(MEANT, 'the meaning of a number never changes'),
  deprecated: rule(COMPATIBLE, 'an announcement; also where one is taken back'),
  'any other difference': rule(LOOK, 'no derived message shows what changes: judge it, and set the version yourself'),
} as const;
export type RuleName = keyof typeof RULES;

/** A difference between two contracts. Differences of prose are left out. */
export interface Difference {
  /** Such as `POST /items, request`. */
  readonly where: string;
  readonly what: string;
  readonly rule: RuleName;
}

export function breaks(difference: Difference): boolean {
  return RULES[difference.rule].verdict !== COMPATIBLE && !isUnclear(difference);
}

export function isUnclear({ rule: name }: Difference): boolean {
  return RULES[name].verdict === LOOK;
}

/** A line for each difference: where, what, and what it does to clients. */
export function linesOf(differences: readonly Difference[]): string[] {
  return differences.map((each) => {
    const { verdict } = RULES[each.rule];
    return `${each.where}: ${each.what}; ${breaks(each) ? `breaks clients: ${verdict}` : verdict}`;
  });
}
