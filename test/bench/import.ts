import { spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Load } from './load.ts';
import { PostgresStores } from './postgres.ts';
import { ROOT, Scratch } from './processes.ts';
import { median, table } from './report.ts';

const FORMATS = ['ndjson', 'csv'] as const;
const IDS = ['sequential', 'random'] as const;

/** The speed of the commands `import` and `export`, into stores that are empty, the start of the process included. */
export async function measureImport(plants: number, rounds: number): Promise<string> {
  using files = new Scratch();
  for (const ids of IDS) for (const format of FORMATS) await write(files, ids, format, plants);
  await using stores = await PostgresStores.start();
  const rows: string[][] = [];
  for (const engine of ['SQLite', 'PostgreSQL'] as const) {
    for (const ids of IDS) {
      for (const format of FORMATS) {
        const rates: { in: number; out: number }[] = [];
        for (let round = 0; round < rounds; round++) {
          using scratch = new Scratch();
          await using database = await stores.createDatabase();
          const url = engine === 'SQLite' ? scratch.url : database.url;
          const imported = run(url, 'import', join(files.folder, `${ids}.${format}`));
          const exported = run(url, 'export', join(scratch.folder, `all.${format}`));
          rates.push({ in: plants / imported, out: plants / exported });
        }
        const figures = [median(rates.map((rate) => rate.in)), median(rates.map((rate) => rate.out))];
        rows.push([`${engine}, ${ids} ids, ${format}`, ...figures.map((each) => each.toFixed(0))]);
        console.error(rows.at(-1)?.join(' '));
      }
    }
  }
  return table(`${plants.toLocaleString('en')} plants`, ['', 'import plants/s', 'export plants/s'], rows);
}

async function write({ folder }: Scratch, ids: Load['ids'], format: string, plants: number): Promise<void> {
  function* lines() {
    if (format === 'csv') yield 'id,name,tag\n';
    for (let count = 0; count < plants; count++) {
      const id = String(ids === 'random' ? Math.floor(Math.random() * 2 ** 52) : count);
      yield format === 'csv'
        ? `${id},Monstera deliciosa,tropical\n`
        : `{"id":${id},"name":"Monstera deliciosa","tag":"tropical"}\n`;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(join(folder, `${ids}.${format}`)));
}

/** Runs a command to its end, and returns its seconds. */
function run(url: string, ...args: readonly string[]): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync('scripts/node', ['src/main.ts', ...args], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: url },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return (performance.now() - begun) / 1000;
}
