import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Contract, ContractOperation } from '../../../src/framework/contract/contract.ts';
import { ErrorNumber } from '../../../src/framework/contract/errors.ts';
import { exactJson } from '../../../src/framework/contract/int64.ts';
import { Derivation } from '../../../scripts/derivation/messages.ts';
import type { Json, JsonObject } from '../../../scripts/derivation/values.ts';
import { type Wire, wireOf } from '../../../scripts/derivation/wire.ts';
import { judgeOf, judgeRequest } from '../judge.ts';
import { PostgresServer } from '../postgres.ts';
import { type Program, runCommand, startInstance } from '../service.ts';
import { temporaryFolder } from '../temporary.ts';
import { Checker, type Key } from './check.ts';
import { damaged } from './damaged.ts';
import { read, spell } from './spelling.ts';

export const ENGINES = ['SQLite', 'PostgreSQL'] as const;

/** The least number of requests, and the seed of all random choices. */
export interface Extent {
  readonly requests: number;
  readonly seed: number;
}

/** How many requests are under way at once. */
const AT_ONCE = 8;

/** The seed in the variable DERIVED_SEED, which repeats an earlier run; `other` if it is unset. */
export function seedOr(other: number): number {
  const seed = Number(process.env['DERIVED_SEED'] ?? other);
  if (!Number.isSafeInteger(seed)) throw new Error('DERIVED_SEED must be an integer');
  return seed;
}

/**
 * Derives requests from a contract, and sends them to a service on this engine, several at once.
 *
 * @returns how many of each kind got the right answer
 * @throws Error with the seed and the first request that got a wrong answer
 */
export async function derive(
  program: Program,
  contract: Contract,
  engine: (typeof ENGINES)[number],
  { requests, seed }: Extent,
): Promise<ReadonlyMap<string, number>> {
  await using server = engine === 'PostgreSQL' ? await PostgresServer.create() : undefined;
  const url = server?.url() ?? `sqlite:${join(temporaryFolder(), 'store.db')}`;
  const service = await startInstance({ DATABASE_URL: url }, program.service);
  const checker = new Checker(contract, service, program);
  const sum = () => checker.counts.values().reduce((count, each) => count + each, 0);
  const sendAll = async (operations: readonly ContractOperation[], least: number) => {
    for (let round = 0; sum() < least; round++) {
      const trials = (await Promise.all(operations.map((operation) => trialsOf(operation, contract, seed + round))))
        .flat()
        .values();
      const workers = Array.from({ length: AT_ONCE }, async () => {
        for (const { wires, send } of trials) {
          await send(checker).catch((error: unknown) => {
            throw new Error(`seed ${seed + round}: ${JSON.stringify(wires)}`, { cause: error });
          });
        }
      });
      await Promise.all(workers);
    }
  };
  const [creates = [], others = []] = [true, false].map((is) =>
    contract.operations.filter(({ id }) => Object.values(program.service.records).includes(id) === is),
  );
  try {
    await sendAll(creates, requests);
    const { stdout } = await runCommand(['export'], { DATABASE_URL: url }, undefined, program.service);
    requireSame(checker.stored, stdout);
    // Other operations may change the store, so they run after the comparison.
    if (others.length > 0) await sendAll(others, sum() + requests);
  } finally {
    await service.stop();
  }
  return checker.counts;
}

interface Trial {
  readonly wires: readonly Wire[];
  readonly send: (checker: Checker) => Promise<void>;
}

async function trialsOf(operation: ContractOperation, { document }: Contract, seed: number): Promise<Trial[]> {
  const derivation = new Derivation(document, seed);
  const trials = derivation.ofRequests(operation).map(async ({ mediaType, schema, messages }) => {
    const judge = judgeRequest(await judgeOf(schema, derivation.requests.document));
    return messages.flatMap(({ parts, wire }, at) => {
      const choices = [at, seed, at + 1, seed + at];
      const again = wireOf(operation, mediaType, parts, (value: Json) => spell(value, choices));
      // The service refuses a request without its body by another number.
      if (again === undefined || (wire.body === undefined && operation.body?.required === true)) return [];
      const refused = (kind: string, sent: Wire, number: ErrorNumber): Trial => ({
        wires: [sent],
        send: (checker) => checker.invalid(kind, operation, sent, number),
      });
      if (judge(parts).length > 0) return [refused('refused', wire, ErrorNumber.contractBroken)];
      return [
        { wires: [wire, again], send: (checker: Checker) => checker.valid(operation, parts.body, [wire, again]) },
        ...damaged(wire, at, operation.body?.required === true).map((each) => refused(...each)),
      ];
    });
  });
  return (await Promise.all(trials)).flat();
}

/** Sorts the members by name: a request and the export may order them differently. */
function byName(json: string): string {
  const members = Object.entries(read(json) as JsonObject);
  return exactJson(Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1))));
}

/** Expects the export to have exactly the accepted bodies, digit for digit, in the order of their keys. */
function requireSame(accepted: ReadonlyMap<Key, string>, exported: string): void {
  const expected = [...accepted].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, json]) => byName(json));
  expect(exported.split('\n').slice(0, -1).map(byName)).toEqual(expected);
}
