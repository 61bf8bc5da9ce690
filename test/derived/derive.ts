import { join } from 'node:path';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/storage/open.ts';
import { PostgresServer } from '../support/postgres.ts';
import { plantStore, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { Checker } from './check.ts';
import { type Json, Members, read, write } from './json.ts';
import type { Derivation } from './requests.ts';

export const ENGINES = ['SQLite', 'PostgreSQL'] as const;

/** How many requests at least, and what all that is random comes from. */
export interface Extent {
  readonly requests: number;
  readonly seed: number;
}

/** What share of the requests is valid; each of these is sent twice. */
const VALID = 0.6;

/** The variable DERIVED_SEED, to do a run again, or else another. */
export function seedOr(other: number): number {
  const seed = Number(process.env['DERIVED_SEED'] ?? other);
  if (!Number.isSafeInteger(seed)) throw new Error('DERIVED_SEED must be an integer');
  return seed;
}

/**
 * Sends requests that are derived from a contract to the service on an engine, several at once.
 *
 * @returns how many of each kind were answered as they had to be
 * @throws Error with the shortest request that was not, and the seed
 */
export async function derive(
  derivation: Derivation,
  engine: (typeof ENGINES)[number],
  extent: Extent,
): Promise<ReadonlyMap<string, number>> {
  await using server = engine === 'PostgreSQL' ? await PostgresServer.create() : undefined;
  const url = server?.url() ?? `sqlite:${join(temporaryFolder(), 'plants.db')}`;
  const service = await startService({ DATABASE_URL: url });
  const checker = new Checker(derivation, service, async (key) => {
    const store = await openStore(readConfig({ DATABASE_URL: url }).DATABASE_URL, { create: false });
    await store.plants.remove(key);
    await store.close();
  });
  try {
    // Each to its end: what fails is made shorter, and the others need the service meanwhile.
    const all = await Promise.allSettled(properties(derivation, checker, extent));
    for (const each of all) if (each.status === 'rejected') throw each.reason;
  } finally {
    await service.stop();
  }
  const { stdout } = await plantStore(['export'], { DATABASE_URL: url });
  requireSame(checker.stored, stdout);
  return checker.counts;
}

/** One for each kind of request, so that each occurs, and what fails becomes shorter without changing its kind. */
function properties(derivation: Derivation, checker: Checker, { requests, seed }: Extent): Promise<void>[] {
  const { operations } = derivation;
  const invalid = operations.flatMap((operation) => derivation.invalid(operation));
  const share = Math.ceil((requests * (1 - VALID)) / invalid.length);
  // Properties that start at the same seed would all generate the same values.
  const parameters = (at: number, numRuns: number) => ({ seed: seed + at, numRuns, includeErrorInReport: true });
  return [
    // Valid requests take the longest way: several properties share them.
    ...operations.flatMap((operation) =>
      Array.from({ length: 8 }, async (_, at) => {
        const runs = Math.ceil((requests * VALID) / 2 / 8 / operations.length);
        const property = fc.asyncProperty(derivation.valid(operation), (sent) => checker.valid(sent));
        await fc.assert(property, parameters(1000 + at, runs));
      }),
    ),
    ...invalid.map(async ({ kind, requests }, at) => {
      const property = fc.asyncProperty(requests, ({ request, number }) => checker.invalid(kind, request, number));
      await fc.assert(property, parameters(at, share)).catch((error: unknown) => {
        throw new Error(`${kind}: ${Error.isError(error) ? error.message : String(error)}`);
      });
    }),
  ];
}

/** The contract and the store may have the members in different orders. */
function byName(json: string): string {
  const members = Object.entries(read(json) as Readonly<Record<string, Json>>);
  return write(new Members(members.sort(([one], [other]) => (one < other ? -1 : 1))));
}

/** What is stored must be what was accepted, digit for digit, in the order of the keys. */
function requireSame(accepted: ReadonlyMap<bigint, string>, exported: string): void {
  const expected = [...accepted].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, json]) => byName(json));
  expect(exported.split('\n').slice(0, -1).map(byName)).toEqual(expected);
}
