import { isDeepStrictEqual } from 'node:util';
import { METHODS } from '../../src/contract/document.ts';
import { isIgnored } from '../../src/contract/vocabulary.ts';
import { ExchangeComparison } from './exchange.ts';
import { allNames, change, type Documents, followed, listOf, type Node, nodeOf, withoutProse } from './nodes.ts';
import type { Difference, RuleName } from './rules.ts';

/** Finds every difference between two contracts except in prose, and classifies it for clients of the old one. */
export function compareContracts(was: object, is: object): Difference[] {
  return new ContractComparison({ was, is }).compare();
}

class ContractComparison {
  private readonly before: Node;
  private readonly after: Node;
  private readonly requests: ExchangeComparison;
  private readonly replies: ExchangeComparison;

  constructor(documents: Documents) {
    [this.before, this.after] = [nodeOf(documents.was), nodeOf(documents.is)];
    this.requests = new ExchangeComparison(documents, 'request');
    this.replies = new ExchangeComparison(documents, 'reply');
  }

  compare(): Difference[] {
    this.compareServers();
    const [was, is] = [nodeOf(this.before['paths']), nodeOf(this.after['paths'])];
    for (const path of allNames(was, is)) this.comparePath(was[path], is[path], path);
    const known = ['openapi', 'info', 'servers', 'paths', 'components', 'security'];
    this.requests.rest(this.before, this.after, known, 'the document');
    return [...this.requests.differences, ...this.replies.differences];
  }

  private compareServers(): void {
    const urls = (document: Node) => listOf(document['servers'] ?? [{ url: '/' }]).map((each) => nodeOf(each)['url']);
    const [was, is] = [urls(this.before), urls(this.after)];
    if (!was.every((url) => is.includes(url))) this.requests.report('server removed', 'servers', change(was, is));
    else if (!is.every((url) => was.includes(url))) this.requests.report('server added', 'servers', change(was, is));
  }

  private comparePath(before: unknown, after: unknown, path: string): void {
    const [was, is] = this.requests.both(before, after);
    for (const method of METHODS) {
      const where = `${method.toUpperCase()} ${path}`;
      const [old, now] = [was[method], is[method]];
      if (old !== undefined && now !== undefined)
        this.compareOperation(withParameters(nodeOf(old), was), withParameters(nodeOf(now), is), where);
      else if (old !== undefined) this.requests.report('operation removed', where);
      else if (now !== undefined)
        this.requests.report(this.isTaken(path) ? 'operation added at a path in use' : 'operation added', where);
    }
    this.requests.rest(was, is, [...METHODS, 'parameters'], path);
  }

  /** Whether a path with parameters matched this path before: the router prefers a path without parameters. */
  private isTaken(path: string): boolean {
    const templates = Object.keys(nodeOf(this.before['paths']));
    return templates.some((each) => each !== path && asPattern(each).test(path));
  }

  private compareOperation(was: Node, is: Node, where: string): void {
    const { requests, before, after } = this;
    if (was['operationId'] !== is['operationId'])
      requests.report('operationId changed', where, change(was['operationId'], is['operationId']));
    const [old, now] = [securityOf(was, before), securityOf(is, after)];
    const rule = judgeSecurity(old, now);
    if (rule) requests.report(rule, `${where}, security`, change(old.declared, now.declared));
    this.compareParameters(byPlaceAndName(was, before), byPlaceAndName(is, after), where);
    this.compareBody(was['requestBody'], is['requestBody'], `${where}, request body`);
    this.replies.replies(nodeOf(was['responses']), nodeOf(is['responses']), where);
    requests.rest(was, is, ['operationId', 'security', 'parameters', 'requestBody', 'responses'], where);
  }

  private compareParameters(was: Node, is: Node, where: string): void {
    for (const name of allNames(was, is)) {
      const place = `${where}, ${name}`;
      const [old, now] = [was[name], is[name]];
      if (now === undefined) this.requests.report('parameter removed', place);
      else if (old !== undefined) this.requests.parameter(old, now, place);
      else {
        const { required, in: part } = nodeOf(now);
        const optional = part === 'header' ? 'optional header parameter added' : 'optional parameter added';
        this.requests.report(required === true ? 'required parameter added' : optional, place);
      }
    }
  }

  private compareBody(before: unknown, after: unknown, where: string): void {
    const [, is] = this.requests.both(before, after);
    if (before !== undefined && after !== undefined) this.requests.body(before, after, where);
    else if (before !== undefined) this.requests.report('body removed', where);
    else if (after !== undefined)
      this.requests.report(is['required'] === true ? 'required body added' : 'optional body added', where);
  }
}

function asPattern(template: string): RegExp {
  const parts = template.split(/\{[^}]*\}/).map(RegExp.escape);
  return new RegExp(`^${parts.join('[^/]+')}$`);
}

/** Puts the parameters of the path first, so that those of the operation override them. */
function withParameters(operation: Node, path: Node): Node {
  return { ...operation, parameters: [...listOf(path['parameters']), ...listOf(operation['parameters'])] };
}

function byPlaceAndName(operation: Node, document: Node): Node {
  const parameters = listOf(operation['parameters']).map((each) => nodeOf(followed(each, document)));
  return Object.fromEntries(
    parameters
      .filter((parameter) => !isIgnored(parameter))
      .map((parameter) => {
        const [place, name] = [String(parameter['in']), String(parameter['name'])];
        return [`${place} parameter ${place === 'header' ? name.toLowerCase() : name}`, parameter];
      }),
  );
}

/** A security scheme, without its name, which clients never see, and the scopes that it requires. */
interface Demand {
  readonly scheme: unknown;
  readonly scopes: readonly unknown[];
}

/** A caller must satisfy one of the alternatives. */
interface Security {
  readonly declared: unknown;
  readonly alternatives: readonly (readonly Demand[])[];
}

function securityOf(operation: Node, document: Node): Security {
  const declared = operation['security'] ?? document['security'] ?? [];
  const schemes = nodeOf(nodeOf(document['components'])['securitySchemes']);
  const alternatives = listOf(declared).map((each) =>
    Object.entries(nodeOf(each)).map(([name, scopes]) => {
      // OpenAPI calls `bearerFormat` a hint for documentation.
      const { bearerFormat: _, ...scheme } = nodeOf(withoutProse(followed(schemes[name], document)));
      return { scheme, scopes: listOf(scopes) };
    }),
  );
  return { declared, alternatives: alternatives.length === 0 ? [[]] : alternatives };
}

function judgeSecurity(was: Security, is: Security): RuleName | undefined {
  if (!everyWayLeadsInto(was, is)) return 'security added or changed';
  return everyWayLeadsInto(is, was) ? undefined : 'security removed or an alternative added';
}

/** Whether credentials for any alternative of `one` satisfy an alternative of `other`. */
function everyWayLeadsInto(one: Security, other: Security): boolean {
  return one.alternatives.every((held) =>
    other.alternatives.some((demanded) =>
      demanded.every((each) => held.some((credential) => serves(credential, each))),
    ),
  );
}

function serves(held: Demand, demanded: Demand): boolean {
  return (
    isDeepStrictEqual(held.scheme, demanded.scheme) && demanded.scopes.every((scope) => held.scopes.includes(scope))
  );
}
