import { exactJson } from 'trellis-contract/ground';
import type { AnyRow } from '../storage/engine.ts';

export const MAX_NAMED = 10;

/** Names a row by its key: `id 5`. */
export function nameOfRow(key: readonly string[], row: AnyRow): string {
  return key.map((column) => `${column} ${exactJson(valueOf(row[column]))}`).join(', ');
}

export function faultOf(columns: readonly string[]): string {
  return `${columns.join(' and ')} is not UTF-8`;
}

/** Lists the first of them. @param count how many there are, if these are the first ones */
export function firstOf(names: readonly string[], count = names.length): string {
  const more = count - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/** The value as JSON has it: a date-time for a date, base64 for bytes. */
export function valueOf(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : (value ?? null);
}
