import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { ContractError } from '../errors.ts';
import { int64 } from './int64.ts';

/** Parses YAML 1.2 (or JSON, its subset), integers as bigints, also those that a double would round. @throws ContractError with line and column */
export function parseYaml(yaml: string): { readonly parsed: Document; readonly lines: LineCounter } {
  const lines = new LineCounter();
  const parsed = parseDocument(yaml, { lineCounter: lines, intAsBigInt: true });
  const [error] = parsed.errors;
  if (error !== undefined) throw new ContractError(`openapi.yaml is not YAML: ${error.message.trim()}`);
  visit(parsed, {
    Scalar(_key, scalar) {
      const { value, source = '' } = scalar;
      if (!Number.isInteger(value) || Number.isSafeInteger(value)) return;
      // `9007199254740993.0` is an integer too.
      const exact = int64(source);
      if (exact !== undefined && exact !== BigInt(value as number)) scalar.value = exact;
    },
    Pair(_key, { key }) {
      if (!isScalar(key) || key.value !== '<<' || key.type !== 'PLAIN') return;
      const { line, col } = lines.linePos(key.range?.[0] ?? 0);
      throw new ContractError(
        `openapi.yaml:${line}:${col}: << merges maps in YAML 1.1 only: write the members out, or refer to them by $ref`,
      );
    },
    Alias(_key, alias, holders) {
      const target = alias.resolve(parsed);
      if (target !== undefined && !holders.includes(target)) return;
      const { line, col } = lines.linePos(alias.range?.[0] ?? 0);
      const what = target === undefined ? 'has no anchor before it' : 'contains itself: refer to it by $ref';
      throw new ContractError(`openapi.yaml:${line}:${col}: *${alias.source} ${what}`);
    },
  });
  return { parsed, lines };
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
