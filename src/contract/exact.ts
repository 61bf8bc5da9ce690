/** Holds members by name, or items by index. */
export type Holder = Record<string | number, unknown>;

/**
 * A place where a stand-in (int64.ts) was put before the validator, which would round what belongs there; and what
 * belongs there.
 */
export interface Exact {
  readonly holder: Holder;
  readonly key: string | number;
  readonly value: unknown;
}

/** Puts what belongs there in the places of the stand-ins, once these were found valid. */
export function settle(exacts: readonly Exact[]): void {
  for (const { holder, key, value } of exacts) holder[key] = value;
}
