import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { hashToken, makeToken } from '../../src/auth/token.ts';
import { restore } from '../../src/storage/sqlite/backup.ts';
import { APPLICATION_ID, MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { whileServing } from '../support/crowd.ts';
import { createPlant, plantStore, ROOT, start, startService } from '../support/service.ts';
import { fill, look, place } from './place.ts';

const MAIN = join(ROOT, 'src/main.ts');

describe('backup and restore', () => {
  test('copy the store of a running service, and restore it while the service runs', async () => {
    const { folder, database, environment, run } = await place(20_000);
    const kept = (await run('token', 'create', 'kept')).stdout.trim();
    const service = { ...(await startService(environment)), token: kept };
    const backedUp = run('backup', 'copy.db');
    const times = await whileServing(service, 1_000_001, backedUp);
    const { code, stdout, stderr } = await backedUp;
    expect([code, stderr]).toEqual([0, '']);
    const [, count] = /^backed up (\d+) plants to copy.db, and checked the copy\n$/.exec(stdout) ?? [];
    const copy = join(folder, 'copy.db');
    expect(look(copy)).toBe(Number(count));
    expect(Number(count)).toBeGreaterThanOrEqual(20_000);
    expect(Number(count)).toBeLessThanOrEqual(20_000 + times.length);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);

    // The restore must undo these changes: a new token, a new plant, and another name of plant 7.
    const late = (await run('token', 'create', 'late')).stdout.trim();
    expect((await createPlant({ ...service, token: late }, '{"id":-1,"name":"late"}')).status).toBe(200);
    await run('remove', '7');
    expect((await createPlant(service, '{"id":7,"name":"other"}')).status).toBe(200);
    expect(await run('restore', 'copy.db')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^plant-store: the store has \d+ plants, which the restore would delete: back the store up, then restore with --force\n$/,
      ),
    });
    const restored = run('restore', 'copy.db', '--force');
    const later = await whileServing(service, 2_000_001, restored);
    expect(await restored).toEqual({
      code: 0,
      stdout: `restored ${String(count)} plants from copy.db, and checked the store\n`,
      stderr: '',
    });
    const replayed = await createPlant(service, '{"id":7,"name":"plant 7"}');
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    const anew = await createPlant(service, '{"id":-1,"name":"late"}');
    expect([anew.status, anew.headers.get('idempotent-replayed')]).toEqual([200, null]);
    await sleep(1000);
    expect((await createPlant({ ...service, token: late }, '{"id":-1,"name":"late"}')).status).toBe(401);
    await service.stop();
    expect(look(database)).toBeGreaterThan(Number(count));
    expect(look(database)).toBeLessThanOrEqual(Number(count) + later.length + 1);
  });

  test('create a new store if none exists, with exact ids', async () => {
    const { folder, run } = await place();
    writeFileSync(join(folder, 'p.ndjson'), '{"id":9007199254740993,"name":"x","tag":""}\n');
    await run('import', 'p.ndjson');
    expect((await run('backup', 'copy.db')).stdout).toBe('backed up 1 plant to copy.db, and checked the copy\n');
    const elsewhere = { DATABASE_URL: `sqlite:${join(folder, 'new/folder/plants.db')}` };
    expect((await plantStore(['restore', 'copy.db'], elsewhere, folder)).code).toBe(0);
    expect((await plantStore(['export'], elsewhere, folder)).stdout).toBe(
      '{"id":9007199254740993,"name":"x","tag":""}\n',
    );
  });

  test('accept a store of schema 1, and migrate it while a service runs', async () => {
    const { folder, environment, run } = await place();
    const token = makeToken();
    {
      using older = new DatabaseSync(join(folder, 'older.db'));
      older.exec(MIGRATIONS[0] ?? '');
      older.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = 1`);
      older.prepare("insert into tokens values (?, 'older', 1, null, null)").run(hashToken(token));
      older.exec("insert into plants (id, name) values (1, 'x')");
    }
    const olderStore = { DATABASE_URL: `sqlite:${join(folder, 'older.db')}` };
    const backedUp = await plantStore(['backup', 'copy.db'], olderStore, folder);
    expect([backedUp.code, backedUp.stdout]).toEqual([0, 'backed up 1 plant to copy.db, and checked the copy\n']);
    const service = await startService(environment);
    expect((await run('restore', 'copy.db')).code).toBe(0);
    const replayed = await createPlant({ url: service.url, token }, '{"id":1,"name":"x"}');
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await service.stop()).toBe(0);
    expect((await run('migrate')).stdout).toBe(`the schema is up to date: ${MIGRATIONS.length}\n`);
  });

  test('finish a backup although another process writes without a pause', async () => {
    const { folder, database, run } = await place(200_000);
    using other = new DatabaseSync(database);
    other.exec('pragma synchronous = off');
    const insert = other.prepare("insert into plants (id, name) values (?, 'x')");
    const done = new AbortController();
    const backedUp = run('backup', 'copy.db').finally(() => {
      done.abort();
    });
    const end = performance.now() + 60_000;
    for (let id = -1; !done.signal.aborted && performance.now() < end; id--) {
      insert.run(id);
      await setImmediate();
    }
    expect(done.signal.aborted).toBe(true);
    expect(await backedUp).toMatchObject({ code: 0, stderr: '' });
    expect(look(join(folder, 'copy.db'))).toBeGreaterThanOrEqual(200_000);
  });

  test('lose no plant when they are killed', async () => {
    const { folder, database, environment, run } = await place(60_000);
    await run('backup', 'copy.db');
    fill(database, 60_001, 10_000);
    const kill = async (after: number, ...args: readonly string[]) => {
      const started = start(process.execPath, [MAIN, ...args], environment, folder);
      await sleep(after);
      started.child.kill('SIGKILL');
      return await started.ended;
    };
    const begun = performance.now();
    expect((await run('backup', 'whole.db')).code).toBe(0);
    const time = performance.now() - begun;
    for (let turn = 1; turn <= 4; turn++) {
      await kill((time * turn) / 5, 'backup', `copy-${turn}.db`);
      if (existsSync(join(folder, `copy-${turn}.db`))) expect(look(join(folder, `copy-${turn}.db`))).toBe(70_000);
      expect(look(database)).toBe(70_000);
    }
    for (let turn = 1; turn <= 6; turn++) {
      await kill(time * (0.3 + turn / 10), 'restore', 'copy.db', '--force');
      const left = look(database);
      expect([60_000, 70_000]).toContain(left);
      if (left === 60_000) fill(database, 60_001, 10_000);
    }
  });

  test('count the plants that a restore will delete, before and after the restore locks the store', async () => {
    const { folder, database, run } = await place(3);
    const copy = join(folder, 'copy.db');
    await run('backup', copy);
    fill(database, 4, 1);
    const counts: number[] = [];
    await restore(database, copy, (count) => {
      counts.push(count);
      if (counts.length === 1) {
        fill(database, 5, 1);
        return;
      }
      using other = new DatabaseSync(database);
      expect(() => {
        other.exec("insert into plants (id, name) values (6, 'late')");
      }).toThrow('database is locked');
    });
    expect(counts).toEqual([4, 5]);
    expect(look(database)).toBe(3);
  });
});
