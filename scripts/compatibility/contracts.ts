import { METHODS } from '../../src/contract/document.ts';
import type { loadDocument } from '../../src/contract/load.ts';
import { ExchangeComparison } from './exchange.ts';
import { allNames, change, listOf, type Node, nodeOf } from './nodes.ts';
import { compareReplies } from './replies.ts';
import type { Difference } from './rules.ts';
import { judgeSecurity, securityOf } from './security.ts';

export type Contract = ReturnType<typeof loadDocument>;

/** Every difference between two contracts but those of prose, judged for clients that know the old one. */
export function compareContracts(was: Contract, is: Contract): Difference[] {
  return new ContractComparison(was, is).compare();
}

class ContractComparison {
  private readonly was: Contract;
  private readonly is: Contract;
  private readonly before: Node;
  private readonly after: Node;
  private readonly requests: ExchangeComparison;
  private readonly replies: ExchangeComparison;

  constructor(was: Contract, is: Contract) {
    this.was = was;
    this.is = is;
    // As the plain objects that they are.
    [this.before, this.after] = [{ ...was.document }, { ...is.document }];
    const documents = { was: was.document, is: is.document };
    const resolvers = { was: was.resolve, is: is.resolve };
    this.requests = new ExchangeComparison(documents, resolvers, 'request');
    this.replies = new ExchangeComparison(documents, resolvers, 'reply');
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
    const urls = (document: Node) =>
      listOf(document['servers'] ?? [{ url: '/' }]).map((each) => addressOf(nodeOf(each)));
    const [was, is] = [urls(this.before), urls(this.after)];
    if (!was.every((url) => is.includes(url))) this.requests.report('server removed', 'servers', change(was, is));
    else if (!is.every((url) => was.includes(url))) this.requests.report('server added', 'servers', change(was, is));
  }

  private comparePath(before: unknown, after: unknown, path: string): void {
    const [was, is] = this.requests.both(before, after);
    for (const method of METHODS) {
      const where = `${method.toUpperCase()} ${path}`;
      if (!(method in was) && method in is) this.requests.report(this.rule(path), where);
      if (method in was && !(method in is)) this.requests.report('operation removed', where);
      if (method in was && method in is) {
        this.compareOperation(withParameters(nodeOf(was[method]), was), withParameters(nodeOf(is[method]), is), where);
      }
    }
    this.requests.rest(was, is, [...METHODS, 'parameters'], path);
  }

  /** A path that is written out goes before one with parameters that would take it. */
  private rule(path: string): 'operation added' | 'operation added over another' {
    const templates = Object.keys(nodeOf(this.before['paths'])).filter((each) => each !== path);
    const taken = templates.some((each) => asPattern(each).test(path));
    return taken ? 'operation added over another' : 'operation added';
  }

  private compareOperation(was: Node, is: Node, where: string): void {
    const { requests } = this;
    if (was['operationId'] !== is['operationId'])
      requests.report('operationId changed', where, change(was['operationId'], is['operationId']));
    const [before, after] = [
      securityOf(was, this.before, this.was.resolve),
      securityOf(is, this.after, this.is.resolve),
    ];
    const rule = judgeSecurity(before, after);
    if (rule) requests.report(rule, `${where}, security`, change(before.declared, after.declared));
    this.compareParameters(listOf(was['parameters']), listOf(is['parameters']), where);
    this.compareBody(was['requestBody'], is['requestBody'], `${where}, request body`);
    compareReplies(this.replies, nodeOf(was['responses']), nodeOf(is['responses']), where);
    requests.rest(was, is, ['operationId', 'security', 'parameters', 'requestBody', 'responses'], where);
  }

  private compareParameters(before: readonly unknown[], after: readonly unknown[], where: string): void {
    const was = byPlaceAndName(before, this.was);
    const is = byPlaceAndName(after, this.is);
    for (const name of allNames(was, is)) {
      const place = `${where}, ${name}`;
      const [old, now] = [was[name], is[name]];
      if (now === undefined) this.requests.report('parameter removed', place);
      else if (old === undefined) {
        const required = nodeOf(now)['required'] === true;
        const optional =
          nodeOf(now)['in'] === 'header' ? 'optional header parameter added' : 'optional parameter added';
        this.requests.report(required ? 'required parameter added' : optional, place);
      } else this.requests.parameter(old, now, place);
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

/** A server's URL, with what its variables are unless clients choose. */
function addressOf({ url, variables }: Node): string {
  return String(url).replaceAll(/\{(\w+)\}/g, (name, variable: string) => {
    const { default: usual } = nodeOf(nodeOf(variables)[variable]);
    return typeof usual === 'string' ? `{${variable}=${usual}}` : name;
  });
}

/** The paths that a path template stands for. */
function asPattern(template: string): RegExp {
  const parts = template.split(/\{[^}]*\}/).map(RegExp.escape);
  return new RegExp(`^${parts.join('[^/]+')}$`);
}

/** An operation with the parameters of its path before its own, which come later and so win. */
function withParameters(operation: Node, path: Node): Node {
  return { ...operation, parameters: [...listOf(path['parameters']), ...listOf(operation['parameters'])] };
}

function byPlaceAndName(parameters: readonly unknown[], { resolve }: Contract): Node {
  return Object.fromEntries(
    parameters.map((each) => {
      const parameter = resolve(nodeOf(each));
      const [place, name] = [String(parameter['in']), String(parameter['name'])];
      return [`${place} parameter ${place === 'header' ? name.toLowerCase() : name}`, parameter];
    }),
  );
}
