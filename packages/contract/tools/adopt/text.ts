import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  type ToStringOptions,
  visit,
  YAMLMap,
  YAMLSeq,
} from 'yaml';
import type { Parsed } from '../../src/schema/yaml.ts';
import { nameNow, type Tree } from './tree.ts';

/** Writes a tree into the text that it was read from: all that has not changed keeps its words, comments and order. */
export class Text {
  private readonly parsed: Document;
  private readonly aliases: Parsed['aliases'];
  private readonly nodes = new WeakMap<object, unknown>();
  private readonly options: ToStringOptions;
  private readonly lineEnd: string;
  /** The last node of each anchor in the new text so far, which an alias stands for. */
  private readonly anchored = new Map<string, unknown>();

  constructor({ parsed, aliases }: Parsed, tree: unknown, text: string) {
    this.parsed = parsed;
    this.aliases = aliases;
    this.keep(parsed.contents, tree);
    this.lineEnd = /\r?\n/.exec(text)?.[0] ?? '\n';
    this.options = {
      lineWidth: 0,
      indentSeq: !/^( *)[^\s#-][^\n]*:\r?\n\1- /m.test(text),
      flowCollectionPadding: !/^[^#'"\n]*[:-] [{[](?![\s{}[\]])/m.test(text),
    };
    if (!/^\s*\{/.test(text)) return;
    // JSON becomes YAML, which tools of YAML 1.1 read too: to them `no`, `12:30` and `2020-01-01` are no texts.
    parsed.setSchema('1.2', { compat: 'yaml-1.1' });
    this.options = { ...this.options, flowCollectionPadding: true };
    visit(parsed, {
      Scalar(_key, scalar) {
        if (scalar.value !== '=') delete scalar.type;
      },
      Collection(_key, collection) {
        delete collection.flow;
      },
    });
  }

  of(tree: unknown): string {
    this.parsed.contents = this.written(this.parsed.contents, tree) as typeof this.parsed.contents;
    return this.parsed.toString(this.options).replaceAll(/\r?\n/g, this.lineEnd);
  }

  private keep(node: unknown, value: unknown): void {
    if (typeof value !== 'object' || value === null || this.nodes.has(value) || isAlias(node)) return;
    this.nodes.set(value, node);
    const members = value as Tree;
    if (isMap(node)) for (const pair of node.items) this.keep(pair.value, members[nameOf(pair)]);
    else if (isSeq(node)) for (const [index, each] of node.items.entries()) this.keep(each, members[index]);
  }

  /** @param node what stood in this place */
  private written(node: unknown, value: unknown): unknown {
    const known = isAlias(node) ? this.aliases.get(node) : node;
    const own = typeof value === 'object' && value !== null ? this.nodes.get(value) : known;
    // Any other alias is replaced by the value that it stood for.
    if (isAlias(node) && own === known && this.anchored.get(node.source) === own) return node;
    const kept = isCollection(own) || (isScalar(own) && !isAlias(node)) ? own : undefined;
    if (kept === undefined) {
      const made = this.made(value);
      // The words beside a text that became a list are about both.
      if (isScalar(node) && isNode(made)) made.comment ??= node.comment ?? null;
      return made;
    }
    if (kept.anchor !== undefined) this.anchored.set(kept.anchor, kept);
    if (isMap(kept)) this.writeMembers(kept, value as Tree);
    else if (isSeq(kept)) kept.items = this.itemsOf(kept.items, value as unknown[]);
    else if (!isSame(kept.value, value)) kept.value = value;
    return kept;
  }

  /** Where some items are gone, each of the others keeps its node with its comments. */
  private itemsOf(items: readonly unknown[], values: readonly unknown[]): unknown[] {
    if (items.length <= values.length) return values.map((each, index) => this.written(items[index], each));
    let from = 0;
    return values.map((each, index) => {
      let place = from;
      while (place < items.length && !this.isOf(items[place], each)) place++;
      if (place === items.length) return this.written(items[index], each);
      from = place + 1;
      return this.written(items[place], each);
    });
  }

  private isOf(item: unknown, value: unknown): boolean {
    const node = isAlias(item) ? this.aliases.get(item) : item;
    return isScalar(node) ? isSame(node.value, value) : this.nodes.get(value as object) === node;
  }

  /** Parts of the document that move keep their words and comments. */
  private made(value: unknown): unknown {
    if (Array.isArray(value)) {
      const list = new YAMLSeq();
      list.items = value.map((each) => this.written(undefined, each));
      // Writes lists of words, such as types, in one line.
      list.flow = list.items.every(isScalar);
      return list;
    }
    if (typeof value !== 'object' || value === null) return this.parsed.createNode(value);
    const map = new YAMLMap();
    for (const [name, each] of Object.entries(value))
      map.add(this.parsed.createPair(name, this.written(undefined, each)));
    return map;
  }

  private writeMembers(map: YAMLMap, value: Tree): void {
    const names = Object.keys(value);
    const kept: Pair[] = [];
    let left = '';
    const written = map.items.map(nameOf);
    for (const pair of map.items) {
      const now = nameNow(value, nameOf(pair));
      if (isScalar(pair.key) && !written.includes(now) && Object.hasOwn(value, now)) pair.key.value = now;
      const name = nameOf(pair);
      const key = isScalar(pair.key) ? pair.key : undefined;
      // A comment before a removed member may be about the next member.
      if (key) left = [left, key.commentBefore].filter(Boolean).join('\n');
      if (!Object.hasOwn(value, name)) continue;
      if (key && left !== '') key.commentBefore = left;
      left = '';
      kept.push(pair);
    }
    if (left !== '') map.comment = [left, map.comment].filter(Boolean).join('\n');
    for (const [index, name] of names.entries()) {
      if (kept.some((each) => nameOf(each) === name)) continue;
      const before = kept.findIndex((each) => nameOf(each) === names[index - 1]);
      kept.splice(before < 0 && index > 0 ? kept.length : before + 1, 0, this.parsed.createPair(name, null));
    }
    // In the order of the text, as an anchor must stand before its aliases.
    for (const pair of kept) pair.value = this.written(pair.value, value[nameOf(pair)]);
    // Each run would add another empty line before the first member.
    const [{ key: first } = {}] = kept;
    if (isScalar(first)) first.spaceBefore = false;
    map.items = kept;
  }
}

/** Compares with a value of the text, in which integers are bigints. */
function isSame(written: unknown, value: unknown): boolean {
  return written === value || (typeof written === 'bigint' && Number(written) === value);
}

const nameOf = ({ key }: Pair) => String(isScalar(key) ? key.value : key);
