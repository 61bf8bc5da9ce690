import { afterAll, expect, test } from '@jest/globals';
import { SQL_TYPES as ON_POSTGRES } from '../../../src/framework/storage/postgres/values.ts';
import { SQL_TYPES as ON_SQLITE } from '../../../src/framework/storage/sqlite/values.ts';
import { PostgresServer } from '../../support/postgres.ts';
import { Project } from '../../support/project.ts';
import { run } from '../../support/readme.ts';

/** A time zone that was 44 minutes and 30 seconds behind UTC until 1972. */
const ZONE = 'Africa/Monrovia';
const server = await PostgresServer.create({ TimeZone: ZONE });
afterAll(() => server.remove());

// In a copy of the project, an item has two columns of every kind: one is `not null`, the other may be null.
const project = new Project();
const KINDS = Object.keys(ON_SQLITE) as (keyof typeof ON_SQLITE)[];
const described = KINDS.map((kind) => `${kind}: '${kind}', ${kind}_or_null: '${kind}?'`).join();
project.edit('src/framework/storage/tables.ts', "tag: 'text?' }", `tag: 'text?', ${described} }`);
for (const [engine, types, others, end] of [
  ['sqlite', ON_SQLITE, '', 'strict'],
  ['postgres', ON_POSTGRES, 'cascade', ''],
] as const) {
  const columns = KINDS.map((kind) => `"${kind}" ${types[kind]} not null, "${kind}_or_null" ${types[kind]}`).join();
  const create = `create table plants (id ${types.int64} primary key, name text not null, tag text, ${columns}) ${end}`;
  project.edit(`src/framework/storage/${engine}/migrations.ts`, '\n];', `\n  'drop table plants ${others}; ${create}',\n];`);
}

test.each([
  ['SQLite', 'sqlite:plants.db'],
  ['PostgreSQL', server.url()],
])('a store on %s writes, reads, queries, updates and compares every kind of column', async (_engine, url) => {
  const script = `TZ=${ZONE} scripts/node test/framework/storage/kinds.ts ${url}`;
  expect(await run(project, script)).toEqual({ code: 0, stdout: '', stderr: '' });
});
