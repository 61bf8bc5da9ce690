import type { Resolve } from '../../src/contract/document.ts';
import { allNames, change, type Documents, namesOf, type Node, nodeOf, unchanged } from './nodes.ts';
import type { Difference, RuleName, Side } from './rules.ts';
import { SchemaComparison } from './schemas.ts';

/** What follows references in each of the documents. */
export interface Resolvers {
  readonly was: Resolve;
  readonly is: Resolve;
}

/** Compares what is exchanged at one place (`POST /plants, reply 200`), in one direction. */
export class ExchangeComparison {
  readonly differences: Difference[] = [];
  private readonly documents: Documents;
  private readonly resolvers: Resolvers;
  private readonly side: Side;

  constructor(documents: Documents, resolvers: Resolvers, side: Side) {
    this.documents = documents;
    this.resolvers = resolvers;
    this.side = side;
  }

  body(before: unknown, after: unknown, where: string): void {
    const [was, is] = this.both(before, after);
    this.content(was['content'], is['content'], where);
    this.requirement(was, is, where);
    this.rest(was, is, ['content', 'required'], where);
  }

  parameter(before: unknown, after: unknown, where: string): void {
    const [was, is] = this.both(before, after);
    this.requirement(was, is, where);
    this.schema(was['schema'] ?? true, is['schema'] ?? true, where);
    this.rest(was, is, ['name', 'in', 'required', 'schema'], where);
  }

  reply(before: unknown, after: unknown, where: string): void {
    const [was, is] = this.both(before, after);
    this.headers(nodeOf(was['headers']), nodeOf(is['headers']), where);
    this.content(was['content'], is['content'], `${where}, body`);
    this.rest(was, is, ['headers', 'content'], where);
  }

  /** What none of the rules knows. */
  rest(was: Node, is: Node, known: readonly string[], where: string): void {
    for (const name of namesOf(was, is)) {
      if (known.includes(name) || unchanged(was[name], is[name], this.documents, name)) continue;
      this.report('anything else', `${where}, ${name}`, change(was[name], is[name]));
    }
  }

  report(rule: RuleName, where: string, what: string = rule): void {
    this.differences.push({ where, what, rule, side: this.side });
  }

  both(before: unknown, after: unknown): [Node, Node] {
    return [this.resolvers.was(nodeOf(before)), this.resolvers.is(nodeOf(after))];
  }

  private content(before: unknown, after: unknown, where: string): void {
    const [was, is] = [nodeOf(before), nodeOf(after)];
    for (const name of allNames(was, is)) {
      const place = name === 'application/json' ? where : `${where} (${name})`;
      if (!Object.hasOwn(was, name)) this.report('media type added', where, `${name} added`);
      else if (!Object.hasOwn(is, name)) this.report('media type removed', where, `${name} removed`);
      else {
        const [old, now] = [nodeOf(was[name]), nodeOf(is[name])];
        this.schema(old['schema'] ?? true, now['schema'] ?? true, place);
        this.rest(old, now, ['schema'], place);
      }
    }
  }

  private headers(before: Node, after: Node, where: string): void {
    const [was, is] = [inLowerCase(before), inLowerCase(after)];
    for (const name of allNames(was, is)) {
      const place = `${where}, header ${name}`;
      if (!Object.hasOwn(was, name)) this.report('reply header added', place);
      else if (!Object.hasOwn(is, name)) this.report('reply header removed', place);
      else this.parameter(was[name], is[name], place);
    }
  }

  private schema(was: unknown, is: unknown, where: string): void {
    const comparison = new SchemaComparison(this.documents, this.side, where);
    comparison.compare(was, is, '');
    this.differences.push(...comparison.differences);
  }

  private requirement(was: Node, is: Node, where: string): void {
    const [before, after] = [was['required'] === true, is['required'] === true];
    if (before !== after) this.report(after ? 'became required' : 'became optional', where);
  }
}

/** Names of header fields are the same in either case. */
function inLowerCase(headers: Node): Node {
  return Object.fromEntries(Object.entries(headers).map(([name, each]) => [name.toLowerCase(), each]));
}
