import { judge } from './keywords.ts';
import { allNames, change, type Documents, followed, namesOf, type Node, nodeOf } from './nodes.ts';
import type { Difference, RuleName, Side } from './rules.ts';
import { SchemaComparison } from './schemas.ts';

/** Compares requests or replies, and reports each difference with its place, such as `POST /plants, reply 200`. */
export class ExchangeComparison {
  readonly differences: Difference[] = [];
  private readonly documents: Documents;
  private readonly side: Side;

  constructor(documents: Documents, side: Side) {
    this.documents = documents;
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
    this.schema(was['schema'], is['schema'], where);
    this.rest(was, is, ['name', 'in', 'required', 'schema'], where);
  }

  /** Compares replies by status: `200`, or `default`. */
  replies(was: Node, is: Node, where: string): void {
    for (const status of allNames(was, is).filter((name) => !name.startsWith('x-'))) {
      const place = `${where}, reply ${status}`;
      const [before, after] = [was[status], is[status]];
      // `default` covers failures only, as a status of success tells clients what the service has done.
      const isFailure = !/^[123]/.test(status);
      if (before !== undefined && after !== undefined) this.reply(before, after, place);
      else if (after !== undefined) {
        const fallback = isFailure ? was['default'] : undefined;
        this.report(fallback === undefined ? 'reply status added' : 'failure status added to a default reply', place);
        if (fallback !== undefined) this.reply(fallback, after, place);
      } else {
        const fallback = isFailure ? is['default'] : undefined;
        const kind = isFailure ? 'reply status of failure removed' : 'reply status of success removed';
        this.report(status === 'default' ? 'default reply removed' : kind, place);
        if (fallback !== undefined) this.reply(before, fallback, place);
      }
    }
  }

  /** Compares the members that are not in `known`. */
  rest(was: Node, is: Node, known: readonly string[], where: string): void {
    for (const name of namesOf(was, is)) {
      const rule = known.includes(name) ? undefined : judge(name, was[name], is[name], this.documents);
      if (rule) this.report(rule, `${where}, ${name}`, change(was[name], is[name]));
    }
  }

  report(rule: RuleName, where: string, what: string = rule): void {
    this.differences.push({ where, what, rule, side: this.side });
  }

  /** Follows references, each in its own document. */
  both(before: unknown, after: unknown): [Node, Node] {
    return [nodeOf(followed(before, this.documents.was)), nodeOf(followed(after, this.documents.is))];
  }

  private reply(before: unknown, after: unknown, where: string): void {
    const [was, is] = this.both(before, after);
    this.headers(inLowerCase(was['headers']), inLowerCase(is['headers']), where);
    this.content(was['content'], is['content'], `${where}, body`);
    this.rest(was, is, ['headers', 'content'], where);
  }

  private content(before: unknown, after: unknown, where: string): void {
    const [was, is] = [nodeOf(before), nodeOf(after)];
    for (const name of allNames(was, is)) {
      const place = name === 'application/json' ? where : `${where} (${name})`;
      if (!Object.hasOwn(was, name)) this.report('media type added', where, `${name} added`);
      else if (!Object.hasOwn(is, name)) this.report('media type removed', where, `${name} removed`);
      else {
        const [old, now] = [nodeOf(was[name]), nodeOf(is[name])];
        this.schema(old['schema'], now['schema'], place);
        this.rest(old, now, ['schema'], place);
      }
    }
  }

  private headers(was: Node, is: Node, where: string): void {
    for (const name of allNames(was, is)) {
      const place = `${where}, header ${name}`;
      if (!Object.hasOwn(was, name)) this.report('reply header added', place);
      else if (!Object.hasOwn(is, name)) this.report('reply header removed', place);
      else this.parameter(was[name], is[name], place);
    }
  }

  private schema(was: unknown, is: unknown, where: string): void {
    const comparison = new SchemaComparison(this.documents, this.side, (rule, path, what) => {
      this.report(rule, path === '' ? where : `${where}, ${path}`, what);
    });
    comparison.compare(was ?? true, is ?? true, '');
  }

  private requirement(was: Node, is: Node, where: string): void {
    const [before, after] = [was['required'] === true, is['required'] === true];
    if (before !== after) this.report(after ? 'became required' : 'became optional', where);
  }
}

function inLowerCase(headers: unknown): Node {
  return Object.fromEntries(Object.entries(nodeOf(headers)).map(([name, each]) => [name.toLowerCase(), each]));
}
