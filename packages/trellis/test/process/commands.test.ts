import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import packageJson from '../../package.json' with { type: 'json' };
import { fill } from '../support/item-store.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';
import { LAYOUT } from '../services/items/index.ts';
import { items } from '../services/items/service.ts';
import { createItem, ITEMS, ROOT, runCommand, start, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder();
const database = join(folder, 'items.db');
const environment = { DATABASE_URL: `sqlite:${database}` };
const command = (...args: readonly string[]) => runCommand(args, environment, folder);
const done = (stdout: string) => ({ code: 0, stdout, stderr: '' });
const failed = (line: string) => ({ code: 1, stdout: '', stderr: `item-store: ${line}\n` });

describe('the command line', () => {
  test.each([
    [['--help'], 'Usage: item-store [options] [command]'],
    [['token', 'create', '--help'], '--expires <lifetime>'],
    [['--help'], '"ps" shows a'],
    [['--version'], `${packageJson.version} (schema ${LAYOUT.version}`],
  ])('prints its help or its version for %j', async (args, text) => {
    expect(await command(...args)).toEqual(done(expect.stringContaining(text) as unknown as string));
  });

  test.each([
    [[], 'Usage: item-store'],
    [['item'], "error: unknown command 'item'"],
    [['serve', 'now'], 'error: too many arguments'],
    [['token', 'create'], "error: missing required argument 'name'"],
    [['export', '--csv'], "error: unknown option '--csv'"],
  ])('exits with 2 when it does not understand %j', async (args, text) => {
    expect(await command(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(text) });
  });

  test.each([
    ['export', 'the database '],
    ['token list', 'the database '],
    ['token revoke x', 'the database '],
    ['remove 1', 'the database '],
    ['remove one', 'the id must be an integer from '],
    ['remove 9223372036854775808', 'the id must be an integer from '],
    ['token create my/token', 'the name of a token must be 1 to 100 letters'],
    [
      'token create x --scope a"b',
      'a scope must be printable ASCII without spaces, " and \\, and all scopes together must have at most 900',
    ],
    [`token create x --scope a --scope ${'b'.repeat(899)}`, 'a scope must be printable ASCII'],
    ['token create x --expires 90', '--expires must be a number from 1 to 999999 and s, m, h or d'],
    ['token create x --expires 0d', '--expires must be a number from 1 to 999999 and s, m, h or d'],
  ])('exits with 1, prints one line and creates no database for `%s`', async (line, text) => {
    const { code, stdout, stderr } = await command(...line.split(' '));
    expect([code, stdout, stderr.indexOf('\n')]).toEqual([1, '', stderr.length - 1]);
    expect(stderr).toContain(`item-store: ${text}`);
    expect(existsSync(database)).toBe(false);
  });

  test('exits with 1 for a service whose name is not valid', async () => {
    const { code, stderr } = await runCommand(['serve'], { ...environment, ADMIN_PORT: '0' }, folder, {
      ...items,
      name: 'Item_Store',
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('the name Item_Store of the service must have small')]);
  });
});

describe('the command', () => {
  let schema: string | undefined;
  beforeAll(async () => {
    const { stdout } = await command('migrate');
    [, schema] =
      /^migrated the schema from 0 to (\d+): marker\/[\da-f]{8}, framework\/tokens1, .*\n$/.exec(stdout) ?? [];
  });

  test('migrate reports that the schema is up to date', async () => {
    expect(await command('migrate')).toEqual(done(`the schema is up to date: ${String(schema)}\n`));
  });

  test('token create makes a token that a running service accepts until it is revoked', async () => {
    const created = await command('token', 'create', 'app', '--expires', '90d');
    expect(created).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^itemstore_[\w-]{43}\n$/),
      stderr: expect.stringMatching(
        /^created the token app, valid until \d{4}-[\d-]+T[\d:.]+Z; it is shown only once\nthe token is for the store sqlite:.*\n$/,
      ),
    });
    const service = await startInstance(environment);
    expect(service.token).toBe('');
    const late = (await command('token', 'create', 'late')).stdout.trim();
    const statusFor = async (token: string) =>
      (await createItem({ url: service.url, token }, '{"id":1,"name":"x"}')).status;
    expect(await statusFor(created.stdout.trim())).toBe(200);
    expect(await statusFor(late)).toBe(200);
    expect(await command('token', 'create', 'late')).toEqual(
      failed('the token late exists: revoke it first, or choose another name'),
    );
    const revoked = 'revoked the token app: every instance refuses it within a second\n';
    expect(await command('token', 'revoke', 'app')).toEqual(done(revoked));
    await sleep(1000);
    expect(await statusFor(created.stdout.trim())).toBe(401);
    expect(await command('token', 'revoke', 'app')).toEqual(failed('the store has no valid token named app'));
    await service.stop();
  });

  test('token create says that the store is new when the command creates the store', async () => {
    const elsewhere = join(temporaryFolder(), 'items.db');
    const { stderr } = await command('token', 'create', 'first', '--store', `sqlite:${elsewhere}`);
    expect(stderr).toContain(`\nthe token is for the new store sqlite:${elsewhere}\n`);
  });

  test.each(['>&-', '>/dev/null'])('token create %s makes no token, which nobody would see', async (where) => {
    const elsewhere = temporaryFolder();
    const line = `exec '${process.execPath}' '${ITEMS.main}' token create unseen ${where}`;
    const { ended, stderr } = start('sh', ['-c', line], {}, elsewhere);
    expect(await ended).toBe(1);
    expect(stderr()).toBe(
      'item-store: stdout is closed, or /dev/null, and the token is shown only once: no token was created\n',
    );
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('serve 2>&- makes no first token, logs why and ends, and runs once there is one', async () => {
    const environment = { PORT: '0', DATABASE_URL: `sqlite:${join(temporaryFolder(), 'items.db')}` };
    const serve = () => start('sh', ['-c', `exec '${process.execPath}' '${ITEMS.main}' serve 2>&-`], environment, ROOT);
    const unseen = serve();
    expect(await unseen.ended).toBe(1);
    expect(unseen.log()).toContainEqual(
      expect.objectContaining({
        level: 'fatal',
        msg: 'no first token could be created',
        err: expect.objectContaining({ message: expect.stringContaining('stderr is closed, or /dev/null') }),
      }),
    );
    expect((await runCommand(['token', 'list'], environment)).stdout).toBe('NAME  STATE  CREATED  EXPIRES  SCOPES\n');
    expect((await runCommand(['token', 'create', 'seen'], environment)).code).toBe(0);
    const service = serve();
    await until(() => service.log().some(({ msg }) => msg === 'ready'));
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  test('token list shows each token without its text', async () => {
    const shortLived = await command('token', 'create', 'brief', '--expires', '1s', '--scope', 'a', '--scope', 'b');
    await sleep(1000);
    const { stdout } = await command('token', 'list');
    const rows = stdout.trim().split('\n');
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
      ['NAME', 'STATE', 'CREATED', 'EXPIRES', 'SCOPES'],
      ['app', 'revoked', time, time],
      ['late', 'valid', time, 'never'],
      ['brief', 'expired', time, time, 'a b'],
    ]);
    const json = (await command('token', 'list', '--json')).stdout;
    expect(
      json
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { name: 'app', state: 'revoked', created: time, expires: time, scopes: [] },
      { name: 'late', state: 'valid', created: time, scopes: [] },
      { name: 'brief', state: 'expired', created: time, expires: time, scopes: ['a', 'b'] },
    ]);
    expect(stdout + json).not.toContain(shortLived.stdout.trim());
  });

  test('export writes ids digit for digit while a service runs on the store', async () => {
    const token = (await command('token', 'create', 'exporter')).stdout.trim();
    const service = { ...(await startInstance(environment)), token };
    const ids = ['-9223372036854775808', '9007199254740992', '9007199254740993', '9223372036854775807'];
    const lines = ids.map((id) => `{"id":${id},"name":"item \\"${id}\\" 🌱","tag":""}\n`);
    for (const line of lines.toReversed()) await createItem(service, line);
    expect(await command('export')).toEqual(done(lines.toSpliced(1, 0, '{"id":1,"name":"x"}\n').join('')));
    await service.stop();
  });

  test('export writes 20,005 items into a slow pipe, and stops when the reader closes it', async () => {
    fill(database, 10_000, 20_000);
    const pipeInto = async (reader: string) => {
      const script = `"$@" | ${reader}; echo "\${PIPESTATUS[0]}"`;
      const args = ['--norc', '-c', script, 'bash', process.execPath, ITEMS.main, 'export'];
      const shell = start('bash', args, environment, folder);
      await shell.ended;
      return [shell.stdout(), shell.stderr()];
    };
    expect(await pipeInto('(sleep 1; grep -c .)')).toEqual(['20005\n0\n', '']);
    const cut = expect.stringMatching(/^\{"id":-9223372036854775808,.*\}\n1\n$/);
    expect(await pipeInto('head -n 1')).toEqual([cut, '']);
  });

  test('remove deletes the item with this id, and no other', async () => {
    for (const id of ['1', '-9223372036854775808']) {
      expect(await command('remove', id)).toEqual(done(`removed the row ${id} of items\n`));
      expect(await command('remove', id)).toEqual(failed(`the store has no row ${id} of items`));
    }
    using file = new DatabaseSync(database, { readOnly: true });
    expect(file.prepare('select count(*) as count from items').get()).toEqual({ count: 20_003 });
  });
});
