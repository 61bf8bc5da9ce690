import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { ContractError } from './errors.ts';

/** Where each map and each list of a contract is written: what is told of it then begins with line and column. */
const places = new WeakMap<object, string>();

/** @throws ContractError which names line and column */
export function readYaml(yaml: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) throw new ContractError(`openapi.yaml is not YAML: ${error.message.trim()}`);
  const value: unknown = document.toJS();
  remember(value, document.contents, document.contents, lines);
  return value;
}

/** `openapi.yaml:12:9` for a map or a list that readYaml has read, by its key if it has one; else `openapi.yaml`. */
export function placeOf(value: unknown): string {
  const place = typeof value === 'object' && value !== null ? places.get(value) : undefined;
  return place === undefined ? 'openapi.yaml' : `openapi.yaml:${place}`;
}

function remember(value: unknown, node: unknown, key: unknown, lines: LineCounter): void {
  // What an alias repeats is one object, which stands where it stood first.
  if (typeof value !== 'object' || value === null || places.has(value)) return;
  const { line, col } = lines.linePos((key as Node).range?.[0] ?? 0);
  places.set(value, `${line}:${col}`);
  const holder = value as Readonly<Record<string, unknown>>;
  if (isMap(node)) {
    for (const item of node.items) {
      const name = isScalar(item.key) ? String(item.key.value) : '';
      remember(holder[name], item.value, item.key, lines);
    }
  } else if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) remember(holder[index], item, item, lines);
  }
}
