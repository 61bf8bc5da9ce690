import {
  type Alias,
  type Document,
  isCollection,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { ContractError } from '../contract-error.ts';
import { int64 } from './int64.ts';

/** A body may nest 32 levels, and its schema twice as many; the functions that read schemas recurse for each level. */
const MAX_YAML_DEPTH = 100;
const TOO_DEEP = `nested too deeply: use at most ${MAX_YAML_DEPTH} levels, and move inner schemas to components/schemas`;

export interface Parsed {
  readonly parsed: Document;
  /** The value of each alias: to look it up in the document would visit all nodes. */
  readonly aliases: ReadonlyMap<Alias, Node>;
}

/** Parses YAML 1.2 (or JSON, its subset), each integer as a bigint. @throws ContractError with line and column */
export function parseYaml(yaml: string): Parsed & { readonly lines: LineCounter } {
  const lines = new LineCounter();
  const parsed = parseDocument(yaml, { lineCounter: lines, intAsBigInt: true, prettyErrors: false, uniqueKeys: false });
  const refuse = (offset: number | undefined, what: string): never => {
    const { line, col } = lines.linePos(offset ?? 0);
    throw new ContractError(what, `openapi.yaml:${line}:${col}`);
  };
  const [error] = parsed.errors;
  if (error?.code === 'RESOURCE_EXHAUSTION') refuse(error.pos[0], TOO_DEEP);
  if (error?.code === 'MULTIPLE_DOCS')
    refuse(error.pos[0], 'a second document begins here: leave it out, or put it into a file of its own');
  if (error !== undefined)
    refuse(error.pos[0], `this is not YAML: ${error.message}: mend the line, or put its text into quotes`);
  const tag = parsed.warnings.find(({ code }) => code === 'TAG_RESOLVE_FAILED');
  if (tag !== undefined)
    refuse(tag.pos[0], `JSON has no tag ${yaml.slice(...tag.pos)}: leave it out, and write what it stands for`);
  const aliases = new Map<Alias, Node>();
  /** The last anchor of each name so far. */
  const anchors = new Map<string, Node>();
  const keepAnchor = (node: Node & { readonly anchor?: string }) => {
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
  };
  /** The parser would compare each name with all others; `200` and `'200'` are one name of JSON. */
  const requireUnique = ({ items }: YAMLMap) => {
    const names = new Set<string>();
    for (const { key } of items) {
      if (!isScalar(key)) continue;
      const name = String(key.value);
      if (names.has(name)) refuse(key.range?.[0], `the map has ${name} twice: leave one of them out, or rename it`);
      names.add(name);
    }
  };
  visit(parsed, {
    Collection(_key, collection, holders) {
      keepAnchor(collection);
      if (isMap(collection)) requireUnique(collection);
      if (holders.length > MAX_YAML_DEPTH && holders.filter(isCollection).length >= MAX_YAML_DEPTH)
        refuse(collection.range?.[0], TOO_DEEP);
    },
    Scalar(_key, scalar) {
      keepAnchor(scalar);
      const { value, source = '' } = scalar;
      if (!Number.isInteger(value) || Number.isSafeInteger(value)) return;
      // `9007199254740993.0` is an integer too.
      const exact = int64(source);
      if (exact !== undefined && exact !== BigInt(value as number)) scalar.value = exact;
    },
    Pair(_key, { key }) {
      if (!isScalar(key) || key.value !== '<<' || key.type !== 'PLAIN') return;
      refuse(key.range?.[0], '<< merges maps in YAML 1.1 only: write the members out, or refer to them by $ref');
    },
    Alias(_key, alias, holders) {
      const { source, range } = alias;
      const target = anchors.get(source);
      if (target === undefined)
        refuse(range?.[0], `*${source} has no anchor before it: write &${source} there, or refer by $ref`);
      else if (holders.includes(target)) refuse(range?.[0], `*${source} contains itself: refer to it by $ref`);
      else aliases.set(alias, target);
    },
  });
  return { parsed, lines, aliases };
}

/** The names in a JSON Pointer (RFC 6901), such as `#/components/schemas/Error`, or undefined for any other text. */
export function namesIn(reference: string): string[] | undefined {
  if (!reference.startsWith('#/')) return undefined;
  try {
    const names = reference.slice(2).split('/');
    // Most need no decoding, and a large document has many.
    if (!/[%~]/.test(reference)) return names;
    return names.map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    return undefined;
  }
}
