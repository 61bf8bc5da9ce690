import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PostgresServer } from './support/postgres.ts';
import { installedPostgres } from './support/postgres-binaries.ts';
import { Project } from './support/project.ts';
import { blocks, run } from './support/readme.ts';
import { testWith } from './support/skipping.ts';

const LAST = '{"id":9007199254740993,"name":"Ginkgo"}\n';

/** Does what the page says: a backup that takes the place of an old one, the drill, and the way back from a mistake. */
async function follow(lines: readonly string[], environment: string, end: string): Promise<void> {
  const [nightly, drill, back] = lines;
  const project = new Project();
  const command = 'scripts/plant-store';
  const follows = async (text = 'exit 99') => {
    const { code, stdout, stderr } = await run(project, `set -e\n${environment}\n${text}`);
    expect({ text, code, stderr }).toMatchObject({ text, code: 0 });
    return stdout;
  };
  project.write('plants.ndjson', `{"id":1,"name":"Ficus"}\n${LAST}`);
  await follows(`${command} import plants.ndjson; mkdir backups; touch -d '31 days ago' backups/0.${end}`);
  await follows(nightly);
  expect(existsSync(join(project.folder, `backups/0.${end}`))).toBe(false);
  expect(await follows(drill)).toMatch(new RegExp(`${RegExp.escape(LAST)}$`));
  await follows(`${command} remove 1`);
  await follows(back);
  expect(await follows(`${command} export`)).toBe(project.read('plants.ndjson'));
}

test('the lines of docs/data.md back a store in SQLite up, and restore it', async () => {
  const lines = ['SQLite', 'A drill', 'Back to a backup'].flatMap((heading) => blocks('data', heading, 'sh'));
  // Cron's PATH lacks npm.
  await follow(lines, 'export PATH=/usr/bin:/bin', 'db');
});

const POSTGRES = installedPostgres();
const none = POSTGRES === undefined ? 'there is no PostgreSQL of Debian' : undefined;
testWith(none, 'the lines of docs/data.md back a store in PostgreSQL up, and restore it', async () => {
  await using server = await PostgresServer.create({}, POSTGRES);
  const url = server.url(await server.createDatabase());
  // The lines name a server of their own.
  const lines = blocks('data', 'PostgreSQL', 'sh').map((block) => block.replace(/^export DATABASE_URL=.*\n/, ''));
  await follow(lines, `export DATABASE_URL='${url}' PATH="${join(POSTGRES ?? '', 'bin')}:$PATH"`, 'dump');
});
