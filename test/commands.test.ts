import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { MIGRATIONS } from '../src/storage/sqlite/migrations.ts';
import { createPlant, plantStore, ROOT, startService } from './support/service.ts';
import { temporaryFolder } from './support/temporary.ts';

const SCHEMA = String(MIGRATIONS.length);
const folder = temporaryFolder();
const environment = { DATABASE_URL: `sqlite:${join(folder, 'plants.db')}` };
const command = (...args: readonly string[]) => plantStore(args, environment, folder);

describe('the command line', () => {
  test.each([
    [['--help'], 'Usage: plant-store [options] [command]'],
    [['serve', '--help'], 'run the service until SIGTERM, SIGINT or SIGHUP'],
    [['token', '--help'], 'create [options] <name>'],
    [['token', 'create', '--help'], '--expires <lifetime>'],
    [['export', '--help'], 'write every plant to a new file, or to stdout'],
    [['import', '--help'], 'store the plants of a file, or of stdin (-), each checked as if it had been sent'],
    [['backup', '--help'], 'copy the store into a new file, and check it'],
    [['restore', '--help'], 'make the store what a backup has, and check it'],
    [['remove', '--help'], 'remove a plant for good'],
    [['--version'], '1.0.0'],
    [['migrate', '--help'], 'bring the schema of the store up to date'],
  ])('explains itself: %j', async (args, text) => {
    const { code, stdout, stderr } = await command(...args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(text);
  });

  test.each([
    [[], 'Usage: plant-store'],
    [['plant'], "error: unknown command 'plant'"],
    [['serve', 'now'], 'error: too many arguments'],
    [['token', 'create'], "error: missing required argument 'name'"],
    [['export', '--csv'], "error: unknown option '--csv'"],
  ])('ends with 2 where it does not understand: %j', async (args, text) => {
    const { code, stdout, stderr } = await command(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
  });

  test.each([
    [['export'], /^plant-store: there is no database .*plants\.db\n$/],
    [['token', 'list'], /^plant-store: there is no database .*plants\.db\n$/],
    [['token', 'revoke', 'x'], /^plant-store: there is no database .*plants\.db\n$/],
    [['remove', '1'], /^plant-store: there is no database .*plants\.db\n$/],
    [['remove', 'one'], /^plant-store: the id must be an integer from .*, not one\n$/],
    [['remove', '9223372036854775808'], /^plant-store: the id must be an integer from .*, not 9223372036854775808\n$/],
    [['token', 'create', 'my token'], /^plant-store: the name of a token must be 1 to 100 letters.*\n$/],
    [
      ['token', 'create', 'x', '--expires', '90'],
      /^plant-store: a lifetime is a number from 1 to 999999 and s, m, h or d.*, not 90\n$/,
    ],
    [['token', 'create', 'x', '--expires', '0d'], /^plant-store: a lifetime is a number.*, not 0d\n$/],
  ])('fails with 1 and one line, and makes nothing: %j', async (args, line) => {
    const { code, stdout, stderr } = await command(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(line);
    expect(existsSync(join(folder, 'plants.db'))).toBe(false);
  });
});

describe('a store, from the command line,', () => {
  test('is made and brought up to date by migrate', async () => {
    expect(await command('migrate')).toEqual({
      code: 0,
      stdout: `the schema was 0, and is ${SCHEMA} now\n`,
      stderr: '',
    });
    expect(await command('migrate')).toEqual({ code: 0, stdout: `the schema is up to date: ${SCHEMA}\n`, stderr: '' });
  });

  test('gets tokens, which work in a service that runs, until they are revoked', async () => {
    const created = await command('token', 'create', 'app', '--expires', '90d');
    expect(created).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^plantstore_[\w-]{43}\n$/),
      stderr: expect.stringMatching(
        /^this is the token app, valid until \d{4}-[\d-]+T[\d:.]+Z, shown only this once\n$/,
      ),
    });
    const service = await startService(environment);
    expect(service.token).toBe('');
    const client = { url: service.url, token: created.stdout.trim() };
    expect((await createPlant(client, '{"id":1,"name":"x"}')).status).toBe(200);

    const late = (await command('token', 'create', 'late')).stdout.trim();
    expect((await createPlant({ url: service.url, token: late }, '{"id":1,"name":"x"}')).status).toBe(200);
    expect(await command('token', 'create', 'late')).toMatchObject({
      code: 1,
      stderr: 'plant-store: there is a token named late: revoke it first, or choose another name\n',
    });

    const revoked = await command('token', 'revoke', 'app');
    expect([revoked.code, revoked.stdout]).toEqual([
      0,
      'revoked the token app: it is refused everywhere within a second\n',
    ]);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await createPlant(client, '{"id":1,"name":"x"}')).status).toBe(401);
    expect(await command('token', 'revoke', 'app')).toMatchObject({
      code: 1,
      stderr: 'plant-store: there is no valid token named app\n',
    });
    await service.stop();
  });

  test('lists its tokens, without their text', async () => {
    const shortLived = await command('token', 'create', 'brief', '--expires', '1s');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const { stdout } = await command('token', 'list');
    const rows = stdout
      .trim()
      .split('\n')
      .map((row) => row.split(/ {2,}/));
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(rows).toEqual([
      ['NAME', 'STATE', 'CREATED', 'EXPIRES'],
      ['app', 'revoked', time, time],
      ['late', 'valid', time, 'never'],
      ['brief', 'expired', time, time],
    ]);
    expect(stdout).not.toContain(shortLived.stdout.trim());
  });

  test('exports its plants digit for digit, beside a service that runs', async () => {
    const token = (await command('token', 'create', 'exporter')).stdout.trim();
    const service = { ...(await startService(environment)), token };
    const ids = ['9007199254740992', '9007199254740993', '9223372036854775807', '-9223372036854775808'];
    for (const id of ids) await createPlant(service, `{"id":${id},"name":"plant \\"${id}\\" 🌱","tag":""}`);
    const { code, stdout, stderr } = await command('export');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      '{"id":-9223372036854775808,"name":"plant \\"-9223372036854775808\\" 🌱","tag":""}\n' +
        '{"id":1,"name":"x"}\n' +
        ['9007199254740992', '9007199254740993', '9223372036854775807']
          .map((id) => `{"id":${id},"name":"plant \\"${id}\\" 🌱","tag":""}\n`)
          .join(''),
    );
    await service.stop();
  });

  test('exports all of many plants into a slow pipe, and stops when nobody reads', async () => {
    const token = (await command('token', 'create', 'many')).stdout.trim();
    const service = { ...(await startService(environment)), token };
    const name = 'x'.repeat(900);
    for (let first = 10_000; first < 12_000; first += 100) {
      const bodies = Array.from({ length: 100 }, (_, index) => JSON.stringify({ id: first + index, name }));
      await Promise.all(bodies.map((body) => createPlant(service, body)));
    }
    await service.stop();
    const shell = (pipe: string) =>
      promisify(execFile)(
        'bash',
        [
          '--norc',
          '-c',
          `"${process.execPath}" "${join(ROOT, 'src/main.ts')}" export | ${pipe}; echo "\${PIPESTATUS[0]}"`,
        ],
        {
          env: { PATH: process.env['PATH'] ?? '', ...environment },
          cwd: folder,
        },
      );
    const slow = await shell('(sleep 1; grep -c .)');
    expect(slow.stdout).toBe('2005\n0\n');
    const cut = await shell('head -n 1');
    expect([cut.stdout, cut.stderr]).toEqual([expect.stringMatching(/^\{"id":-9223372036854775808,.*\}\n1\n$/), '']);
  });

  test('loses the plant that is removed, and no other', async () => {
    expect(await command('remove', '1')).toEqual({ code: 0, stdout: 'removed the plant with the id 1\n', stderr: '' });
    expect(await command('remove', '1')).toMatchObject({
      code: 1,
      stderr: 'plant-store: there is no plant with the id 1\n',
    });
    const id = '-9223372036854775808';
    expect(await command('remove', id)).toMatchObject({ code: 0, stdout: `removed the plant with the id ${id}\n` });
    expect((await command('export')).stdout.trim().split('\n')).toHaveLength(2003);
  });
});
