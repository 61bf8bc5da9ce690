import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exactJson } from '../contract/exact-json.ts';
import type { StoredPlant } from '../storage/plant-store.ts';
import { withStore } from './with-store.ts';

/** Writes every plant to stdout, a JSON object a line (NDJSON), in the order of the ids, as they are at one moment. */
export async function exportPlants(): Promise<void> {
  await withStore({ create: false }, async ({ plants }) => {
    await pipeline(Readable.from(lines(plants.list())), process.stdout, { end: false });
  });
}

async function* lines(portions: AsyncIterable<readonly StoredPlant[]>): AsyncGenerator<string> {
  for await (const portion of portions) yield portion.map((plant) => `${exactJson(plant)}\n`).join('');
}
