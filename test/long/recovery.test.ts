import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { freePort } from '../../packages/trellis/test/support/port.ts';
import { NOBODY, PostgresServer } from '../../packages/trellis/test/support/postgres.ts';
import { installedPostgres } from '../../packages/trellis/test/support/postgres-binaries.ts';
import { Project } from '../../packages/trellis/test/support/project.ts';
import { blocks, run } from '../../packages/trellis/test/support/readme.ts';
import { ROOT, type Service } from '../../packages/trellis/test/support/service.ts';
import { testWith } from '../../packages/contract/test/support/skipping.ts';
import { temporaryFolder } from '../../packages/contract/test/support/temporary.ts';
import { until } from '../../packages/trellis/test/support/until.ts';
import { noteArguments } from './arguments.ts';
import { startPlants } from '../support.ts';

const STORES = join(ROOT, 'released/stores');
const RELEASES = readdirSync(STORES).filter((name) => !name.endsWith('.ndjson'));
const POSTGRES = installedPostgres();
const BIN = join(POSTGRES ?? '', 'bin');
const none = POSTGRES === undefined ? "Debian's PostgreSQL is not installed" : undefined;

/** Makes a function that runs a block of a page in a copy of the project, and returns what it prints. */
function shell(environment: string, project = new Project()) {
  const runBlock = async (text = 'exit 99') => {
    const { code, stdout, stderr } = await run(project, `set -e\n${environment}\n${text}`);
    expect({ text, code, stderr }).toMatchObject({ text, code: 0 });
    return stdout;
  };
  return { project, runBlock };
}

const SHAPE = `select table_name, column_name, data_type, is_nullable from information_schema.columns
  where table_schema = 'public' order by 1, 2`;

testWith(none, 'the lines of docs/deployment.md roll PostgreSQL back to each release, and forward again', async () => {
  await using server = await PostgresServer.create({}, POSTGRES);
  const role = await server.createRole('plants', 'secret', 'createdb');
  const { path, noted } = noteArguments(BIN);
  const found = blocks('deployment', 'Upgrade and rollback', 'sh');
  const [dump, back] = ['pg_dump', 'pg_restore'].map((each) => found.find((text) => text.includes(each)));
  for (const release of RELEASES) {
    const database = await server.createDatabase('owner plants');
    await server.query(`set role plants; ${readFileSync(join(STORES, release, 'plants.sql'), 'utf8')}`, database);
    const shape = await server.query(SHAPE, database);
    const project = new Project();
    const settings = `--env-file '${project.folder}/plants.env'`;
    const here = (text = '') =>
      text
        .replaceAll(/\/(var\/backups|root)\//g, `${project.folder}/`)
        .replace('plant-store --env-file /etc/plant-store.env', `scripts/plant-store ${settings}`);
    project.write('plants.env', `DATABASE_URL=${role(database)}\n`);
    const [named = '', ...dumping] = here(dump).split(/(?<=\n)/);
    const { runBlock } = shell(`PATH='${path}'\n${named}`, project);
    await runBlock(dumping.join(''));
    await runBlock('scripts/plant-store import - <<< \'{"id":77,"name":"since"}\'');
    const newer = await server.query(SHAPE, database);
    await runBlock(here(back));
    // A release compares these columns when it starts.
    expect(await server.query(SHAPE, 'plants_before')).toEqual(shape);
    const version = 'select version from schema_version where id = 1';
    expect(await server.query(version, 'plants_before')).toEqual([{ version: release === '692d905' ? '1' : '2' }]);
    await server.query("insert into plants values (78, 'by the older version')", 'plants_before');
    expect(await server.query(SHAPE, database)).toEqual(newer);
    const url = role('plants_before');
    await runBlock(`scripts/plant-store export newer.ndjson; scripts/plant-store --store '${url}' migrate`);
    await runBlock(`scripts/plant-store --store '${url}' import newer.ndjson`);
    const all = await runBlock(`scripts/plant-store --store '${url}' export`);
    const old = readFileSync(join(STORES, 'plants.ndjson'), 'utf8');
    for (const line of [...old.trimEnd().split('\n'), '{"id":77,"name":"since"}']) expect(all).toContain(`${line}\n`);
    expect(all).toContain('{"id":78,"name":"by the older version"}\n');
    await server.query('drop database plants_before');
  }
  for (const program of ['pg_dump', 'pg_restore', 'createdb']) expect(noted()).toContain(`${program} `);
  expect(noted()).not.toContain('secret');
});

/** Creates a plant, and returns the status of the reply. */
async function create({ url, token }: Service, id: number): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return (await fetch(`${url}/plants`, { method: 'POST', headers, body: `{"id":${id},"name":"since"}` })).status;
}

/** Deletes plants by mistake while a service has the store open, restores them as the page says, and compares. */
async function bringBack(
  { project, runBlock }: ReturnType<typeof shell>,
  url: string,
  remove: (where: string) => Promise<unknown>,
  lines: (string | undefined)[],
): Promise<void> {
  const service = await startPlants({ DATABASE_URL: url });
  await remove('id < 3');
  expect(await create(service, 4)).toBe(200);
  for (const line of lines) await runBlock(line);
  expect(await create(service, 5)).toBe(200);
  await service.stop();
  const since = '{"id":4,"name":"since"}\n{"id":5,"name":"since"}\n';
  expect(await runBlock('scripts/plant-store export')).toBe(`${project.read('plants.ndjson')}${since}`);
}

const THREE = [1, 2, 3].map((id) => `{"id":${id},"name":"Ficus"}\n`).join('');

test('the commands of docs/recovery.md bring back what a wrong DELETE removed in SQLite, while the service runs', async () => {
  const [lines] = blocks('recovery', 'One wrong DELETE', 'sh');
  const project = new Project();
  const database = join(project.folder, 'data/plants.db');
  const { runBlock } = shell('', project);
  project.write('plants.ndjson', THREE);
  await runBlock('scripts/plant-store import plants.ndjson; mkdir backups; scripts/plant-store backup backups/20.db');
  const remove = (where: string) => runBlock(`sqlite3 '${database}' 'delete from plants where ${where}'`);
  await bringBack({ project, runBlock }, `sqlite:${database}`, remove, [lines]);
});

testWith(none, 'the commands of docs/recovery.md bring back what a wrong DELETE removed in PostgreSQL', async () => {
  const [, folders, base, archive, recover, fetchBack] = blocks('recovery', 'One wrong DELETE', 'sh');
  const [settings = ''] = blocks('recovery', 'One wrong DELETE', 'ini');
  const place = join(temporaryFolder(), 'elsewhere');
  // The user of the server.
  const owner = NOBODY.uid === undefined ? userInfo().username : String(NOBODY.uid);
  const as = NOBODY.uid === undefined ? '' : `setpriv --reuid=${owner} --regid=${owner} --clear-groups`;
  const port = await freePort();
  // This server has its socket by an argument, which the copy of its data does not have.
  await using server = await PostgresServer.create({ unix_socket_directories: '' }, POSTGRES);
  const here = (text = '') =>
    text
      .replaceAll('/mnt/elsewhere', place)
      .replaceAll('5433', String(port))
      .replaceAll('--owner=postgres', `--owner=${owner}`)
      .replaceAll(/sudo -u postgres (\w+)/g, `${as} $1 --dbname='${server.url()}'`);
  const role = await server.createRole('plants', 'secret');
  const database = await server.createDatabase('owner plants');
  const { path, noted } = noteArguments(BIN);
  const named = `DATABASE_URL="$(scripts/plant-store --store '${role(database)}' passfile passfile)"`;
  const { project, runBlock } = shell(`export PATH='${path}' ${named}`);
  project.write('plants.ndjson', THREE);
  chmodSync(dirname(place), 0o755);
  await runBlock(here(folders));
  writeFileSync(join(server.data, 'postgresql.auto.conf'), here(settings));
  await server.stop();
  await server.start();
  await runBlock(`mkdir --parents '${place}/base-1/old' && touch --date='31 days ago' '${place}/base-1'`);
  await runBlock(`scripts/plant-store import plants.ndjson; cd /; ${here(base)}`);
  expect(readdirSync(place)).toEqual([expect.stringMatching(/^base-20/), 'wal']);
  const [moment] = await server.query('select now()::text as now');
  const remove = (where: string) => server.query(`delete from plants where ${where}`, database);
  const pgCtl = `${as} ${join(BIN, 'pg_ctl')}`;
  const recovery = here(recover)
    .replace(/recovery_target_time = .*/, `recovery_target_time = '${String(moment?.['now'])}'`)
    .replace('/usr/lib/postgresql/15/bin/pg_ctl', join(BIN, 'pg_ctl'));
  writeFileSync(join(project.folder, 'recover.sh'), recovery);
  try {
    const lines = [`cd /; ${here(archive)}`, `${as} bash -e < recover.sh`, here(fetchBack)];
    await bringBack({ project, runBlock }, role(database), remove, lines);
  } finally {
    // The server beside it may not have started.
    await runBlock(`cd '${place}'; ${pgCtl} --pgdata=beside --mode=immediate stop || cat beside.log`);
  }
  expect(readdirSync(join(place, 'wal')).length).toBeGreaterThan(0);
  for (const program of ['pg_basebackup', 'psql']) expect(noted()).toContain(`${program} `);
  expect(noted()).not.toContain('secret');
});

testWith(none, 'the lines of docs/ make a standby and promote it, and the service goes on with it', async () => {
  await using primary = await PostgresServer.create({}, POSTGRES);
  await using standby = await PostgresServer.prepare(undefined, POSTGRES);
  const { runBlock } = shell(`export PATH="${BIN}:$PATH"`);
  const [makeRole, copy, wait] = blocks('postgresql', 'A standby', 'sh');
  const onPrimary = (text = '') => text.replaceAll('sudo -u postgres psql', `psql --dbname='${primary.url()}'`);
  await runBlock(onPrimary(makeRole));
  const from = `host=127.0.0.1 port=${primary.port} user=standby`;
  const made = copy?.replace('host=one user=standby', from).replace('/var/lib/postgresql/15/standby', standby.data);
  await runBlock(`${made ?? ''}\nchown --recursive --reference=${primary.data} ${standby.data}`);
  await standby.start();
  const [first = '', second = ''] = onPrimary(wait).split(/(?<=\n)/);
  await runBlock(first);
  await until(async () => (await runBlock(second)).includes(' sync\n'));
  const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
  const url = `postgres://postgres@${hosts}/${await primary.createDatabase()}`;
  const service = await startPlants({ DATABASE_URL: url });
  expect(await create(service, 1)).toBe(200);
  await primary.stop('SIGQUIT');
  const [, section = ''] = readFileSync(join(ROOT, 'docs/recovery.md'), 'utf8').split('## A server that is lost');
  const [, line = ''] = /^ {3}```sh\n(.*?)^ {3}```$/ms.exec(section) ?? [];
  await runBlock(line.replace('sudo -u postgres psql', `psql --dbname='${standby.url()}'`));
  await until(async () => (await create(service, 2)) === 200);
  await service.stop();
  const name = url.split('/').at(-1);
  expect(await standby.query('select id::int from plants order by id', name)).toEqual([{ id: 1 }, { id: 2 }]);
});

testWith(none, 'the commands of docs/postgresql.md move a store to a newer PostgreSQL under load', async () => {
  await using old = await PostgresServer.create({ wal_level: 'logical' }, POSTGRES);
  await using anew = await PostgresServer.create();
  await old.query("create role plants login password 'secret'");
  await old.query('create database plants owner plants');
  const environment = `export OLD='${old.url('plants')}' NEW='${anew.url('plants')}' PATH="${BIN}:$PATH"`;
  const { runBlock } = shell(environment);
  const indented = (text: string) => text.replaceAll(/^ {3}/gm, '');
  const [make, copy, ask, change, end] = steps().map(indented);
  await runBlock(make?.replaceAll('psql "$NEW" --dbname=postgres', `psql '${anew.url()}'`));
  const url = `postgres://plants:secret@127.0.0.1:${old.port},127.0.0.1:${anew.port}/plants`;
  const service = await startPlants({ DATABASE_URL: url });
  const moving = (async () => {
    await runBlock(copy);
    await until(async () => (await runBlock(ask)) === '0\n');
    await runBlock(change);
  })();
  const over = new AbortController();
  void moving.finally(() => {
    over.abort();
  });
  const stored: number[] = [];
  for (let id = 1; !over.signal.aborted; id++) if ((await create(service, id)) === 200) stored.push(id);
  await moving;
  expect(await create(service, 0)).toBe(200);
  const found = await anew.query('select id::int from plants order by id', 'plants');
  expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining([0, ...stored]));
  expect(await old.query('select id from plants where id = 0', 'plants')).toEqual([]);
  await runBlock(end);
  await service.stop();
});

function steps(): string[] {
  const page = readFileSync(join(ROOT, 'docs/postgresql.md'), 'utf8');
  const [, section = ''] = page.split('## A newer PostgreSQL, without a stop');
  return [...section.matchAll(/^ {3}```sh\n(.*?)^ {3}```$/gms)].map(([, text]) => text ?? '');
}
