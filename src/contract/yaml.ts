import { type Document, isAlias, isMap, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { ContractError } from './errors.ts';

export interface Written {
  readonly text: string;
  readonly parsed: Document;
  readonly lines: LineCounter;
  /** Whether `parsed` has headers of `x-headers-of-every-reply` that `text` lacks. */
  readonly completed: boolean;
}

/** Parses YAML 1.2 (or JSON, its subset), integers as bigints. @throws ContractError with line and column */
export function parseYaml(yaml: string): Written {
  const lines = new LineCounter();
  const parsed = parseDocument(yaml, { lineCounter: lines, intAsBigInt: true });
  const [error] = parsed.errors;
  if (error !== undefined) throw new ContractError(`openapi.yaml is not YAML: ${error.message.trim()}`);
  visit(parsed, {
    Alias(_key, alias, holders) {
      const target = alias.resolve(parsed);
      if (target !== undefined && !holders.includes(target)) return;
      const { line, col } = lines.linePos(alias.range?.[0] ?? 0);
      const what = target === undefined ? 'has no anchor before it' : 'contains itself: refer to it by $ref';
      throw new ContractError(`openapi.yaml:${line}:${col}: *${alias.source} ${what}`);
    },
  });
  return { text: yaml, parsed, lines, completed: shareHeaders(parsed) };
}

/** The contract as clients get it: the text with its comments, and with the shared headers in each reply. */
export function publishedYaml(yaml: string | Written): string {
  const { text, parsed, completed } = typeof yaml === 'string' ? parseYaml(yaml) : yaml;
  return completed ? parsed.toString({ lineWidth: 0, singleQuote: true }) : text;
}

/** Adds the headers of `x-headers-of-every-reply` to the replies. @returns whether a reply lacked one */
function shareHeaders(document: Document): boolean {
  const resolve = (node: unknown) => (isAlias(node) ? node.resolve(document) : node);
  const get = (node: unknown, name: string) => (isMap(node) ? resolve(node.get(name, true)) : undefined);
  const members = (node: unknown) => (isMap(node) ? node.items.map(({ value }) => resolve(value)) : []);
  const follow = (node: unknown, hops = 0): unknown => {
    const reference = isMap(node) ? node.get('$ref') : undefined;
    if (typeof reference !== 'string' || hops > 100) return node;
    return follow(namesIn(reference)?.reduce(get, document.contents as unknown), hops + 1);
  };
  const components = get(document.contents, 'components');
  const listed = get(components, 'x-headers-of-every-reply');
  const known = get(components, 'headers');
  // vocabulary.ts will refuse the other names.
  const isName = (name: unknown): name is string => typeof name === 'string' && isMap(known) && known.has(name);
  const names = isSeq(listed) ? listed.toJSON().filter(isName) : [];
  const operations = members(get(document.contents, 'paths')).flatMap(members);
  const replies = operations.flatMap((operation) => members(get(operation, 'responses')).map((each) => follow(each)));
  let completed = false;
  for (const reply of new Set(replies)) {
    if (!isMap(reply)) continue;
    const declared = get(reply, 'headers') ?? document.createNode({});
    if (!isMap(declared)) continue;
    const own = declared.items.map(({ key }) => String(key).toLowerCase());
    const missing = names.filter((name) => !own.includes(name.toLowerCase()));
    for (const name of missing) declared.set(name, document.createNode({ $ref: `#/components/headers/${name}` }));
    if (missing.length > 0 && !reply.has('headers')) reply.set('headers', declared);
    completed ||= missing.length > 0;
  }
  return completed;
}

/** The names in a JSON Pointer (RFC 6901), such as `#/components/schemas/Error`, or undefined for any other text. */
export function namesIn(reference: string): string[] | undefined {
  if (!reference.startsWith('#/')) return undefined;
  try {
    const names = reference.slice(2).split('/').map(decodeURIComponent);
    return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    return undefined;
  }
}
