import type { Contract, ContractOperation, Demand } from '../../src/message/operation.ts';
import type { AnySchema, OpenApiDocument } from '../../src/schema/document.ts';
import { urlOf } from '../../src/rules/addresses.ts';
import { exactJson } from '../../src/schema/int64.ts';
import type { Position } from '../../src/schema/positions.ts';
import { operationOf } from '../derivation/messages.ts';
import { declaredIn, deprecatedIn, errorNumbersIn, pairsIn } from './declared.ts';
import { Edition, refusalOf, tolerant } from './editions.ts';
import { takesRequests } from './paths.ts';
import { renamedPaths, withNewMembers, withNewNames } from './renames.ts';
import { isUnchanged } from './prose.ts';
import type { Difference, RuleName } from './rules.ts';
import { change, replyText, requestText, Samples } from './shown.ts';

/** Finds what differs between two contracts, except in prose, for clients of the old one. */
export function compareContracts(was: Contract, is: Contract): Difference[] {
  const renamed = renamedPaths(was, is);
  const [old, members] = withNewMembers(withNewNames(was, renamed), is);
  const { differences } = new Comparer(old, is, renamed);
  for (const each of members)
    differences.push({ rule: 'member renamed', where: each.where, what: change(each.was, each.is) });
  // Operations share replies: the same sentence about several of them is one line.
  const alike = Map.groupBy(differences, ({ rule, what }) => `${rule} ${what}`).values();
  return [...alike].flatMap(([first, ...others]) => {
    const places = new Set([first, ...others].map((each) => each?.where));
    return first === undefined ? [] : [{ ...first, where: [...places].join('; ') }];
  });
}

class Comparer {
  readonly differences: Difference[] = [];
  private readonly was: Edition;
  private readonly is: Edition;
  private readonly tolerant: Edition;

  /** @param renamed the renamed paths, which have their new names in `was` */
  constructor(was: Contract, is: Contract, renamed: ReadonlyMap<string, string>) {
    this.was = new Edition(was);
    this.is = new Edition(is);
    this.tolerant = tolerant(was, is);
    this.compareServers(was, is);
    for (const [before, after] of renamed) this.report('path parameter renamed', after, change(before, after));
    const keyOf = ({ method, path }: ContractOperation) => `${method} ${path}`;
    const old = new Map(was.operations.map((each) => [keyOf(each), each]));
    const now = new Map(is.operations.map((each) => [keyOf(each), each]));
    for (const [where, operation] of old) {
      const present = now.get(where);
      if (present === undefined) this.report('operation removed', where);
      else this.compareOperation(operation, present, where);
    }
    for (const [where, operation] of now) {
      if (takesRequests(operation, was.operations, is.operations))
        this.report('requests of another operation taken', where);
      else if (!old.has(where)) this.report('operation added', where);
    }
    this.compareErrorNumbers(errorNumbersIn(was.document), errorNumbersIn(is.document));
    const [before, after] = [deprecatedIn(was.document), deprecatedIn(is.document)];
    for (const where of after.difference(before)) this.report('deprecated', where);
    for (const where of before.difference(after)) this.report('deprecated', where, 'no longer deprecated');
    const webhooks = ({ document }: Contract) => (document as { readonly webhooks?: object }).webhooks;
    this.compareIfChanged(webhooks(was), webhooks(is), 'webhooks', () => false);
  }

  private report(rule: RuleName, where: string, what: string = rule): void {
    this.differences.push({ rule, where, what });
  }

  private reportAll(rule: RuleName, where: string, samples: Samples, how: string): void {
    for (const line of samples.lines(how)) this.report(rule, where, line);
  }

  /**
   * Compares two parts if they differ in more than prose, and reports that they do if `compare` reports nothing.
   *
   * @param compare returns whether the contracts judge a derived message differently
   */
  private compareIfChanged(was: unknown, is: unknown, where: string, compare: () => boolean): void {
    if (isUnchanged(was, is, [this.was.contract.document, this.is.contract.document])) return;
    const count = this.differences.length;
    const isShown = compare();
    if (this.differences.length === count) this.report(isShown ? 'other messages' : 'any other difference', where);
  }

  private compareServers(before: Contract, after: Contract): void {
    const [was, is] = [urlsOf(before.document), urlsOf(after.document)];
    const isKept = before.basePath === after.basePath && was.isSubsetOf(is);
    if (isKept && is.isSubsetOf(was)) return;
    this.report(isKept ? 'server added' : 'server removed', 'servers', change([...was], [...is]));
  }

  private compareOperation(was: ContractOperation, is: ContractOperation, where: string): void {
    if (was.id !== is.id) this.report('operationId changed', where, change(was.id, is.id));
    const [suffices, sufficed] = [leadsInto(was, is), leadsInto(is, was)];
    const rule = suffices ? 'security removed or an alternative added' : 'security added or changed';
    if (!suffices || !sufficed) this.report(rule, `${where}, security`, change(inWords(was), inWords(is)));
    this.compareBodyLimits(was.body?.maxBytes, is.body?.maxBytes, where);
    const [before, after] = [declaredIn(this.was.contract, was), declaredIn(this.is.contract, is)];
    this.compareIfChanged({ ...before, responses: {} }, { ...after, responses: {} }, where, () => {
      this.compareParameters(was, is, where);
      for (const [type, { schema }] of was.body?.types ?? [])
        this.compareDeclared(schema, is.body?.types.get(type)?.schema, `${where}, request body`);
      return this.compareRequests(was, is, `${where}, request`);
    });
    for (const status of new Set([...was.replies.keys(), ...is.replies.keys()])) {
      const place = `${where}, reply ${status}`;
      this.compareIfChanged(before.responses?.[status], after.responses?.[status], place, () =>
        this.compareReplies(was, is, status, place),
      );
    }
  }

  private compareParameters(was: ContractOperation, is: ContractOperation, where: string): void {
    for (const { in: part, name, schema } of was.parameters) {
      const known = (other: string) =>
        part === 'header' ? other.toLowerCase() === name.toLowerCase() : other === name;
      const now = is.parameters.find((each) => each.in === part && known(each.name));
      this.compareDeclared(schema, now?.schema, `${where}, ${part} parameter ${name}`);
      if (now === undefined && part === 'header') this.report('header parameter removed', where, name);
    }
  }

  private compareBodyLimits(was: number | undefined, is: number | undefined, where: string): void {
    if (was === undefined || is === undefined || was === is) return;
    this.report(was > is ? 'limit of a body lowered' : 'limit of a body raised', where, change(was, is));
  }

  private compareRequests(was: ContractOperation, is: ContractOperation, where: string): boolean {
    const refused = new Samples();
    let isShown = false;
    for (const { wire } of [...this.was.requests(was), ...this.is.requests(is)]) {
      const [before, after] = [refusalOf(was, wire), refusalOf(is, wire)];
      if (before === undefined && after !== undefined) refused.add(after, requestText(wire, was.path));
      isShown ||= (before === undefined) !== (after === undefined);
    }
    this.reportAll('request refused', where, refused, ' is refused');
    return isShown;
  }

  private compareReplies(was: ContractOperation, is: ContractOperation, status: string, where: string): boolean {
    // `default` covers failures only, as a status of success tells clients what the service has done.
    const isFailure = !/^[123]/.test(status);
    const keyIn = ({ replies }: ContractOperation) =>
      [status, `${status.slice(0, 1)}XX`, ...(isFailure ? ['default'] : [])].find((each) => replies.has(each));
    const [old, now] = [keyIn(was), keyIn(is)];
    if (old === undefined) this.report('reply status added', where);
    else if (old !== status) this.report('failure status added to a default reply', where);
    if (now !== status && status === 'default') this.report('default reply removed', where);
    else if (now !== status) this.report(`reply status of ${isFailure ? 'failure' : 'success'} removed`, where);
    if (old === undefined || now === undefined) return false;
    const before = was.replies.get(old);
    const after = is.replies.get(now);
    this.compareDeclared(before?.content?.schema, after?.content?.schema, where);
    if (before?.mediaType === after?.mediaType) return this.compareSent(was, is, [status, old, now], where);
    this.report('media type of a reply changed', where, change(before?.mediaType, after?.mediaType));
    return false;
  }

  /** @param statuses the status, and the names under which the two contracts declare it */
  private compareSent(
    was: ContractOperation,
    is: ContractOperation,
    [status, old, now]: readonly [string, string, string],
    where: string,
  ): boolean {
    const untold = new Samples();
    let isShown = false;
    let narrowed: string | undefined;
    const forgiving = operationOf(this.tolerant.contract.operations, was);
    const replies = [...this.was.replies(was, old), ...this.is.replies(is, now)];
    for (const reply of replies) {
      const isSent = this.is.maySend(is, status, reply);
      const wasSent = this.was.maySend(was, status, reply);
      isShown ||= isSent !== wasSent;
      // A member that a closed object no longer declares narrows nothing, as the service leaves it out.
      const broken = wasSent && !isSent ? this.is.faultOf(is, status, reply) : undefined;
      if (!broken?.endsWith(' is not allowed')) narrowed ??= broken;
      const fault = isSent ? this.was.faultOf(was, status, reply) : undefined;
      if (fault !== undefined && this.tolerant.faultOf(forgiving, status, reply) !== undefined)
        untold.add(fault, replyText(reply));
    }
    const read = this.was.membersSent(was, old, replies, false);
    const kept = this.is.membersSent(is, now, replies, true);
    for (const name of read.difference(kept)) this.report('member of replies removed', where, name);
    this.reportAll('reply not declared', where, untold, ' was not declared');
    if (narrowed !== undefined && status.startsWith('2'))
      this.report('reply narrowed', where, `stored rows may break this reply, as ${narrowed}: run \`${TRIAL}\``);
    return isShown;
  }

  private compareDeclared(was: AnySchema | undefined, is: AnySchema | undefined, where: string): void {
    if (was === undefined || is === undefined) return;
    const ofRequests = /request body| parameter /.test(where);
    const areKept = (before: Position, present: Position) =>
      this.was.othersOf(before) === 'kept' && this.is.othersOf(present) === 'kept';
    for (const { name, before, present } of pairsIn(this.was.position(was), this.is.position(is), areKept)) {
      if (present === undefined) {
        // The service refuses the member in a closed object, and ignores it in an open one. Replies are compared by messages.
        if (ofRequests) this.report('member of requests removed', where, name);
        continue;
      }
      const at = name === '' ? where : `${where}, ${name}`;
      const [value, now] = [defaultOf(before), defaultOf(present)];
      if (value !== now) this.report('default changed', at, `${value} → ${now}`);
      const others = `${this.was.othersOf(before)} → ${this.is.othersOf(present)}`;
      if (others === 'left out → kept') this.report('other members kept', at);
      if (others === 'kept → left out')
        this.report(ofRequests ? 'other members of requests left out' : 'other members of replies left out', at);
    }
  }

  private compareErrorNumbers(was: ReadonlyMap<string, string>, is: ReadonlyMap<string, string>): void {
    for (const number of new Set([...was.keys(), ...is.keys()])) {
      const before = was.get(number);
      const after = is.get(number);
      const what = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
      if (before !== after) this.report(`error number ${what}`, `error ${number}`, change(before, after));
    }
  }
}

function defaultOf({ default: value }: Position): string {
  return value === undefined ? 'none' : exactJson(value);
}

function urlsOf({ servers = [{ url: '/' }] }: OpenApiDocument): Set<string> {
  return new Set(servers.map(urlOf));
}

function inWords({ security, anonymous, carriers }: Demand): readonly unknown[] {
  const keys = carriers.filter((each) => each !== 'Authorization').map((each) => `in ${each}`);
  return [...security, ...keys, ...(anonymous ? ['no token'] : [])];
}

/** Whether each token that suffices for `one`, or none if that suffices, suffices for `other`. */
function leadsInto(one: Demand, other: Demand): boolean {
  const suffices = (held: readonly string[]) =>
    other.security.some((each) => each.every((scope) => held.includes(scope)));
  const isCarried = new Set(one.carriers).isSubsetOf(new Set(other.carriers));
  return (
    other.security.length === 0 || ((!one.anonymous || other.anonymous) && isCarried && one.security.every(suffices))
  );
}

/** Reads each stored row as a client would send it: a row that is refused would break the reply too. */
const TRIAL = 'export - | import --dry-run -';
