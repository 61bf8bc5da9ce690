import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { applicationId } from '../../../src/storage/sqlite/migrations.ts';
import { UNSHARE } from '../../support/small-disk.ts';
import { testWith } from '../../../../contract/test/support/skipping.ts';
import { look, place } from '../../support/item-store.ts';
import { LAYOUT } from '../../services/items/index.ts';
import { ITEMS, runCommand, start } from '../../support/service.ts';

const MAIN = ITEMS.main;

describe('backup and restore', () => {
  test('refuse each mistake of the operator with exit code 1 and one line', async () => {
    const { folder, database, run } = await place(3);
    const copy = join(folder, 'copy.db');
    await run('backup', 'copy.db');
    const made = (name: string, change: string) => {
      writeFileSync(join(folder, name), readFileSync(copy));
      using changed = new DatabaseSync(join(folder, name));
      changed.exec(change);
    };
    made('newer.db', `pragma user_version = ${LAYOUT.version + 1}`);
    made('other.db', `pragma application_id = ${applicationId('item') + 1}`);
    made('foreign.db', 'create table x (y references ITEMS (name) deferrable initially deferred)');
    made('damaged.db', 'create table x (y)');
    const damaged = readFileSync(join(folder, 'damaged.db'));
    writeFileSync(join(folder, 'damaged.db'), damaged.subarray(0, damaged.length - 4096));
    // The text has 120 bytes, because SQLite looks for its header in the first 100 bytes.
    writeFileSync(join(folder, 'text.db'), 'no database '.repeat(10));
    const cases: [string[], RegExp][] = [
      [['backup', 'copy.db'], /the file copy.db exists: move it away, or name another file/],
      [['backup', 'none/copy.db'], /none\/copy.db cannot be written: ENOENT.*/],
      [['restore', 'none.db'], /the file none.db does not exist, or is no file: name a backup/],
      ...['', '-journal', '-wal', '-shm', '.acts.ndjson'].flatMap((end): [string[], RegExp][] => [
        [['backup', `items.db${end}`], /the file \S+ belongs to the store \S+items.db: name another file/],
        [['restore', `../${basename(folder)}/items.db${end}`], /the file \S+ belongs to the store .*/],
      ]),
      [
        ['restore', 'newer.db'],
        /the database newer.db has schema \d+, but this item-store needs \d+: install a newer item-store/,
      ],
      [['restore', 'other.db'], /the database other.db is not a store of item-store: restore another backup/],
      [
        ['restore', 'foreign.db', '--force'],
        /the database foreign.db has the foreign key of x, which no store of item-store has: drop it, or restore another backup/,
      ],
      [['restore', 'damaged.db', '--force'], /the database damaged.db is damaged.*: restore another backup/],
      [
        ['restore', 'text.db', '--force'],
        /the database text.db is damaged \(file is not a database\): restore another backup/,
      ],
    ];
    for (const [args, message] of cases) {
      const { code, stdout, stderr } = await run(...args);
      expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^item-store: ${message.source}\n$`));
    }
    expect(look(database)).toBe(3);
    expect((await runCommand(['backup', 'x'], { DATABASE_URL: 'sqlite:gone.db' }, folder)).stderr).toMatch(
      /^item-store: the database .*gone.db does not exist: check DATABASE_URL\n$/,
    );
    const postgres = { DATABASE_URL: 'postgres://al:secret@db.example,other:5433/items?sslmode=require' };
    const at = `'postgres://al@db.example,other:5433/items?sslmode=require&target_session_attrs=read-write'`;
    for (const [what, command] of [
      ['backup', `pg_dump --format=custom --file='a'\\''b' ${at}`],
      ['restore', `pg_restore --clean --if-exists --single-transaction --dbname=${at} 'a'\\''b'`],
    ] as const) {
      const done = await runCommand([what, "a'b"], postgres, folder);
      expect(done).toEqual({ code: 1, stdout: '', stderr: `item-store: use the command of PostgreSQL: ${command}\n` });
    }
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('export and import refuse to write a file with a name of the store', async () => {
    const { folder, database, run } = await place(3);
    writeFileSync(join(folder, 'items.ndjson'), '{"id":5000,"name":"x"}\n{}\n');
    const before = readdirSync(folder);
    for (const end of ['', '-journal', '-wal', '-shm', '.acts.ndjson']) {
      const file = `items.db${end}`;
      const stderr = `item-store: the file ${file} belongs to the store ${database}: name another file\n`;
      for (const args of [
        ['export', file, '--format', 'ndjson'],
        ['import', 'items.ndjson', '--rejects', file],
        ['import', 'items.ndjson', '--rejects', file, '--dry-run'],
      ])
        expect({ args, ...(await run(...args)) }).toEqual({ args, code: 1, stdout: '', stderr });
    }
    expect([look(database), readdirSync(folder)]).toEqual([3, before]);
  });

  test('report a damaged store in one line with the cure, as export and import do, and replace it with --force', async () => {
    const { folder, database, run } = await place(20_000);
    await run('backup', 'copy.db');
    const bytes = readFileSync(database);
    writeFileSync(database, bytes.fill(0xff, 40_960, 204_800));
    writeFileSync(join(folder, 'items.ndjson'), '{"id":5000,"name":"x"}\n');
    const cure = 'is damaged: stop the service, keep a copy of it and its -wal, and restore a backup with --force';
    for (const args of [
      ['export', 'all.ndjson'],
      ['import', 'items.ndjson'],
    ]) {
      expect(await run(...args)).toEqual({
        code: 1,
        stdout: '',
        stderr: `item-store: the database ${database} ${cure}\n`,
      });
    }
    expect((await run('backup', 'damaged.db')).stderr).toMatch(
      new RegExp(`^item-store: the database ${RegExp.escape(database)} is damaged .+: restore a backup\n$`),
    );
    expect((await run('restore', 'copy.db')).stderr).toBe(
      `item-store: the rows of the database ${database} cannot be counted: restore with --force to replace it\n`,
    );
    expect((await run('restore', 'copy.db', '--force')).code).toBe(0);
    expect(look(database)).toBe(20_000);
    expect(readdirSync(folder).filter((name) => /all|damaged|part/.test(name))).toEqual([]);
  });

  const noMount = UNSHARE === undefined ? 'no file system can be mounted here' : undefined;
  testWith(noMount, 'report a full disk in one line, as export does, and leave no part of a copy', async () => {
    const { folder, database, environment, run } = await place(20_000);
    await run('backup', 'copy.db');
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    // Runs the commands on a small file system of their own, and prints the exit code and the remaining files of each.
    const script = `mount -t tmpfs -o size=200k tmpfs "$1" && cd "$1/.." || exit
      for command in "backup disk/copy.db" "export disk/items.ndjson" "restore copy.db"; do
        if [ "$command" = "restore copy.db" ]; then export DATABASE_URL=sqlite:disk/new.db; fi
        "$2" "$3" $command; echo "code $?:" $(ls -A disk)
      done`;
    const [program, ...args] = ['unshare', ...(UNSHARE ?? []), 'sh', '-c', script, 'sh', disk, process.execPath, MAIN];
    const { ended, stdout, stderr } = start(program, args, environment, folder);
    expect(await ended).toBe(0);
    expect(stdout()).toBe('code 1:\ncode 1:\ncode 1:\n');
    expect(stderr().split('\n')).toEqual([
      expect.stringMatching(/^item-store: the database disk\/copy.db.*part cannot be written: the disk is full$/),
      expect.stringMatching(/^item-store: disk\/items.ndjson cannot be written: ENOSPC/),
      expect.stringMatching(/^item-store: the database .*new.db.*part cannot be written: the disk is full$/),
      '',
    ]);
    expect(look(database)).toBe(20_000);
  });
});
