import { createServer } from 'node:http';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { settingsOf } from '../../../src/config.ts';
import { freePort } from '../../support/port.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { items } from '../../services/items/index.ts';
import { type Environment, ITEMS, ROOT, runCommand, start, startInstance } from '../../support/service.ts';

const NODE = join(ROOT, 'scripts/node');

/** Makes a folder with an `.env`, and functions that run commands in it. */
function folderWith(env: string) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), env);
  const run = (args: readonly string[], environment: Environment = {}) => runCommand(args, environment, folder);
  const config = async (environment: Environment = {}, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await run(['config', '--json', ...args], environment);
    const rows = stdout.trim().split('\n');
    const parsed = rows.map((row) => JSON.parse(row) as { name: string; value?: string; from: string });
    const settings = Object.fromEntries(parsed.map(({ name, value, from }) => [name, [value, from]]));
    return { code, stderr, settings };
  };
  return { folder, run, config };
}

describe('item-store config', () => {
  test('lists each setting with its value and its source, without secrets', async () => {
    const { folder, run, config } = folderWith('PORT=3001\nLOG_LEVEL=debug\nHOST=::1\n');
    const { code, stderr, settings } = await config({
      LOG_LEVEL: 'warn',
      HOST: '',
      DATABASE_URL: 'postgres://me:secret@db/items?sslmode=require',
      JWT_ISSUER: 'https://id.example',
      JWT_AUDIENCE: 'items',
      JWKS_URL: 'https://id.example/keys?key=secret',
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(Object.keys(settings)).toEqual(Object.keys(settingsOf(items)));
    expect(settings).toMatchObject({
      PORT: ['3001', '.env'],
      LOG_LEVEL: ['warn', 'the environment'],
      HOST: ['127.0.0.1', 'default (empty in the environment)'],
      DATABASE_URL: ['postgres://me@db/items?sslmode=require', 'the environment'],
      JWKS_URL: ['https://id.example/keys?…', 'the environment'],
      ADMIN_HOST: ['127.0.0.1', 'default'],
      BASE_URL: [undefined, 'none'],
    });
    const { stdout } = await run(['config']);
    expect(stdout).toMatch(/^NAME {10}VALUE +FROM\nHOST +::1 +\.env\nPORT +3001 +\.env\n/);
    expect(stdout).toContain(`sqlite:${join(folder, 'data/items.db')}`);
  });

  test('fails on wrong values, and on names in .env that are no settings', async () => {
    const { config } = folderWith('DATABSE_URL=x\nPORT=high\nKEY=\nJBSWY3DPEHPK3PXP====\nexport TAGS =1\n');
    const { code, stderr, settings } = await config({
      BASE_URL: 'https://me:secret@x',
    });
    expect([code, settings['BASE_URL'], settings['PORT']]).toEqual([
      78,
      ['(invalid)', 'the environment'],
      ['(invalid)', '.env'],
    ]);
    expect(stderr).toBe(
      'item-store: PORT must be a port from 0 to 65535, not "high"; ' +
        'BASE_URL must have no query, no fragment and no user; ' +
        // Line 4 may be the rest of a secret in base32, so the message does not show it.
        `${[1, 4, 3, 5].map((line) => `the name in line ${line} of .env is not a setting: correct or remove it`).join('; ')}\n`,
    );
  });

  test('reads --env-file in place of .env, and --store before any other source', async () => {
    const { folder, config, run } = folderWith('PORT=1\nRATE_LIMIT=1/1s\n');
    writeFileSync(join(folder, 'unit.env'), 'PORT=2\nDATABASE_URL=sqlite:unit.db\nHOST=::1\n');
    const { settings } = await config({ HOST: '::2', DATABASE_URL: 'sqlite:x.db' }, '--env-file', 'unit.env');
    expect(settings).toMatchObject({
      PORT: ['2', 'unit.env'],
      HOST: ['::2', 'the environment'],
      RATE_LIMIT: [undefined, 'none'],
    });
    const chosen = await config({ DATABASE_URL: 'sqlite:x.db' }, '--store', 'sqlite:y.db');
    expect(chosen.settings['DATABASE_URL']).toEqual([`sqlite:${join(folder, 'y.db')}`, '--store']);
    // The option may come before the command or after it.
    expect(await run(['--store', 'sqlite:made.db', 'migrate'])).toMatchObject({ code: 0 });
    expect(await run(['token', 'list', '--store', 'sqlite:made.db'])).toMatchObject({ code: 0 });
    // Without `--`, Node would take --env-file as its own option.
    const { ended, stderr } = start(NODE, ['--', ITEMS.main, 'migrate', '--env-file', 'none.env'], {}, folder);
    expect([await ended, stderr()]).toEqual([
      78,
      expect.stringMatching(/^item-store: none\.env cannot be read: ENOENT/),
    ]);
    expect(await run(['migrate', '--store', ''])).toMatchObject({
      code: 78,
      stderr: 'item-store: --store is empty: give it a value as for DATABASE_URL\n',
    });
  });

  test('reads the files of several --env-file in turn, and skips a missing one behind a dash', async () => {
    const { folder, run } = folderWith('PORT=1\n');
    writeFileSync(join(folder, 'all.env'), 'PORT=2\nHOST=::1\nTYPO=1\n');
    writeFileSync(join(folder, 'one.env'), 'PORT=3\n');
    const read = (...files: readonly string[]) => run(['config', ...files.flatMap((file) => ['--env-file', file])]);
    const { code, stdout, stderr } = await read('all.env', '-one.env', '-none.env');
    expect(stdout).toMatch(/^HOST +::1 +all\.env\nPORT +3 +one\.env$/m);
    expect([code, stderr]).toEqual([
      78,
      'item-store: the name in line 3 of all.env is not a setting: correct or remove it\n',
    ]);
    // The name of a file may begin with a dash.
    const missing = /^item-store: \.\/-one\.env cannot be read: ENOENT/;
    expect(await read('./-one.env')).toMatchObject({ code: 78, stderr: expect.stringMatching(missing) });
  });

  const EXPORT = 'is no setting for systemd: remove `export`';
  const CONTINUED = 'ends with \\: for systemd, the comment goes on in the next line';
  const QUOTE =
    'has another value for systemd: write a comment on a line of its own, and a value with #, \\ or quotes between single quotes';
  test.each([
    ['PORT=3001 # public', QUOTE],
    ['PORT=3001#', QUOTE],
    ["PORT='3001' # public", QUOTE],
    ['PORT="30\\1"', QUOTE],
    ['PORT=3001\\', QUOTE],
    ['PORT="3001', QUOTE],
    ["PORT='30'01", QUOTE],
    ['PORT=`3001`', QUOTE],
    ['PORT=3001\rHOST=::1', QUOTE],
    ['export PORT=3001', EXPORT],
    ['# PORT=3002 \\', CONTINUED],
  ])('names the line %j of --env-file, which systemd reads differently', async (line, way) => {
    const { folder, config } = folderWith('');
    writeFileSync(join(folder, 'unit.env'), `# A comment\n\nHOST=::1\n${line}\n`);
    const { code, stderr } = await config({ PORT: '1' }, '--env-file', 'unit.env');
    expect([code, stderr]).toEqual([78, `item-store: line 4 of unit.env ${way}\n`]);
  });

  test('accepts each line that systemd reads as Node does', async () => {
    const { folder, config } = folderWith('PORT=3001 # public\n');
    expect(await config()).toMatchObject({ code: 0, stderr: '' });
    const lines = [
      '#',
      ' # x \\ y',
      '  PORT = 3001 ',
      "BASE_URL='http://x'",
      'HOST="::1"\r',
      'JWT_SCOPE=',
      'TRUST_PROXY=1 2',
    ];
    writeFileSync(join(folder, 'unit.env'), lines.join('\n').replace('1 2', '10.0.0.1 10.0.0.2'));
    expect(await config({}, '--env-file', 'unit.env')).toMatchObject({ code: 0, stderr: '' });
  });
});

test('keeps the file of the store when the first table gets its name or its place later', async () => {
  const { folder, run, config } = folderWith('');
  const store = async () => (await config()).settings['DATABASE_URL'];
  const file = (name: string) => [`sqlite:${join(folder, 'data', name)}`, 'default'];
  mkdirSync(join(folder, 'data'));
  // Made by a service of stubs, which has no table.
  writeFileSync(join(folder, 'data/store.db'), '');
  expect(await store()).toEqual(file('store.db'));
  expect(await run(['migrate'])).toMatchObject({ code: 0 });
  // The table came second, and had stood first.
  const other = Object.keys(items.tables).at(-1) ?? '';
  renameSync(join(folder, 'data/store.db'), join(folder, `data/${other}.db`));
  expect(await store()).toEqual(file(`${other}.db`));
  renameSync(join(folder, `data/${other}.db`), join(folder, 'data/items.db'));
  writeFileSync(join(folder, 'data/store.db'), '');
  expect(await store()).toEqual(file('items.db'));
});

test('reads the first line of .env behind a byte order mark', async () => {
  const { config } = folderWith('\uFEFFDATABASE_URL=sqlite:right.db\r\nPORT=0\r\n');
  const { code, stderr, settings } = await config();
  expect([code, stderr, settings['DATABASE_URL']]).toEqual([
    0,
    '',
    [expect.stringMatching(/^sqlite:.*\/right\.db$/), '.env'],
  ]);
});

test('names a byte order mark in a file of --env-file, as systemd skips the line behind it', async () => {
  const { folder, config } = folderWith('');
  writeFileSync(join(folder, 'unit.env'), '\uFEFFPORT=3001\n');
  const { code, stderr, settings } = await config({}, '--env-file', 'unit.env');
  expect([code, stderr, settings['PORT']]).toEqual([
    78,
    'item-store: line 1 of unit.env begins with a byte order mark, and systemd skips it: save the file as UTF-8 without one\n',
    ['3001', 'unit.env'],
  ]);
});

describe('a line of .env that cannot be a setting', () => {
  const SECRET = 'sqlite:secret.db';
  test.each([
    ['no =', `DATABASE_URL ${SECRET}`],
    ['a colon in place of =', `DATABASE_URL: ${SECRET}`],
    ['a blank that no keyboard shows before the name', `\u00a0DATABASE_URL=${SECRET}`],
    ['a byte order mark that is not at the beginning', `\uFEFFDATABASE_URL=${SECRET}`],
    ['a name in two words', `DATABASE URL=${SECRET}`],
    ['no name', `=${SECRET}`],
    ['the spelling of another shell', `set DATABASE_URL=${SECRET}`],
  ])('stops every command but health, and makes no store, when it has %s', async (_what, line) => {
    const { folder, run } = folderWith(`# Settings\nPORT=0\n${line}\n`);
    const fault = 'line 3 of .env is no setting: write NAME=value, or # before a comment';
    for (const args of [['migrate'], ['token', 'create', 'x'], ['config'], ['serve']]) {
      const { code, stderr } = await run(args);
      expect([args, code, stderr]).toEqual([args, 78, expect.stringContaining(fault)]);
      expect(stderr).not.toContain('secret');
    }
    expect(readdirSync(folder)).toEqual(['.env']);
    expect((await run(['health', '--timeout', '1s'])).stderr).not.toContain('line 3');
  });

  test('stops a command when the file is UTF-16, as some shells write it', async () => {
    const { folder, run } = folderWith('');
    writeFileSync(join(folder, '.env'), '\uFEFFDATABASE_URL=sqlite:right.db\r\n', 'utf16le');
    const { code, stderr } = await run(['migrate']);
    expect([code, stderr]).toEqual([78, expect.stringContaining('line 1 of .env is no setting')]);
  });

  test('is neither a line within a quoted value of another program nor a line that begins with export', async () => {
    const pem = '-----BEGIN X-----\nabc\n-----END X-----';
    const { config } = folderWith(`export PORT=3001\nKEY="${pem}"\n  other.name-2 = 'a\n b' # c\n\t# x\nEMPTY=\r\n`);
    const { stderr, settings } = await config();
    expect(settings['PORT']).toEqual(['3001', '.env']);
    expect(stderr).not.toContain('is no setting:');
  });
});

test('reads a setting with blanks alone behind its = as empty, and the next line as a setting', async () => {
  const { config } = folderWith(
    'JWT_SCOPE= \t\r\nPORT=3001\nLOG_LEVEL= \nDATABASE_URL=postgres://al:secret@db.example/x\n',
  );
  const { code, stderr, settings } = await config();
  expect([code, stderr, settings['PORT']]).toEqual([0, '', ['3001', '.env']]);
});

test('the log of a service begins with a list of the unknown settings in .env', async () => {
  const { folder } = folderWith('ADMIN_PROT=1\n');
  const service = await startInstance({}, items, folder);
  await service.stop();
  const [first] = service.log();
  expect(first).toMatchObject({
    level: 'warn',
    msg: 'the name in line 1 of .env is not a setting: correct or remove it',
  });
});

test('a failed start reports the unknown settings in .env, as a misspelt name may be its cause', async () => {
  const { run } = folderWith('JWT_ISSUER=https://x.example\nJWT_AUDIENC=y\n');
  const { code, stderr } = await run(['serve'], {});
  expect([code, stderr]).toEqual([
    78,
    'item-store: JWT_ISSUER needs JWT_AUDIENCE: set it to the `aud` of tokens for this service; ' +
      'the name in line 2 of .env is not a setting: correct or remove it\n',
  ]);
});

describe('item-store health', () => {
  test('asks the admin listener, or the public port if there is no admin listener', async () => {
    const [port, adminPort] = [String(await freePort()), String(await freePort())];
    const { folder, run } = folderWith(`PORT=${port}\nBASE_URL=http://items.example/garden\n`);
    const answers = (url: string) => ({ code: 0, stdout: `the service answers at ${url}\n`, stderr: '' });
    const isAway = (url: string) => ({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(`^item-store: the service does not answer at ${url}: .*\n$`),
    });
    const ofContract = `http://127.0.0.1:${port}/garden/openapi.yaml`;
    expect(await run(['health'])).toEqual(isAway(ofContract));
    const service = await startInstance({ PORT: port, ADMIN_PORT: adminPort, HOST: '0.0.0.0' }, items, folder);
    expect(await run(['health'], { HOST: '0.0.0.0' })).toEqual(answers(ofContract));
    // `health` must not fail because another setting has a wrong value.
    const environment = { ADMIN_PORT: adminPort, TOKEN_FILE: '/none' };
    expect(await run(['health'], environment)).toEqual(answers(`http://127.0.0.1:${adminPort}/livez`));
    await service.stop();
    expect(await run(['health'], environment)).toEqual(isAway(`http://127.0.0.1:${adminPort}/livez`));
    // Without the settings of the service, `health` asks the wrong address.
    expect((await run(['health', '--env-file', '/dev/null'])).stderr).toMatch(
      /ECONNREFUSED 127\.0\.0\.1:3000; PORT is not set: name the settings of the service with --env-file\n$/,
    );
    expect(await run(['health'], { PORT: '0' })).toMatchObject({
      code: 1,
      stderr: 'item-store: the system chose the port, as the setting is 0: set a port to check it\n',
    });
  });

  test('fails when another program answers on the port, and when an answer never ends', async () => {
    const { run } = folderWith('');
    for (const [status, args, code, what] of [
      [404, [], 1, 'the service answers 404 instead of 200 at http://'],
      [undefined, [], 124, ': no answer within 2s\n'],
      [undefined, ['--timeout', '1s'], 124, ': no answer within 1s\n'],
      [404, ['--timeout', '1'], 1, '--timeout must be a time up to 24h, such as 30s, not 1\n'],
      [404, ['--timeout', '25h'], 1, '--timeout must be a time up to 24h, such as 30s, not 25h\n'],
    ] as const) {
      const server = createServer((request, response) => {
        if (status !== undefined) response.writeHead(status).end();
        // Sends header fields without end.
        else {
          request.socket.write('HTTP/1.1 200 OK\r\n');
          const trickle = setInterval(() => request.socket.write('X-More: x\r\n'), 500);
          request.socket.once('close', () => {
            clearInterval(trickle);
          });
        }
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const { code: exit, stderr } = await run(['health', ...args], { ADMIN_PORT: String(port) });
      expect([exit, stderr]).toEqual([code, expect.stringContaining(what)]);
      server.close();
      server.closeAllConnections();
    }
  });

  test('loads neither the store nor the contract', async () => {
    const script = `
      const { registerHooks } = require('node:module');
      registerHooks({ load: (url, context, next) => { console.error(url); return next(url, context); } });`;
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'hook.cjs'), script);
    const main = ITEMS.main;
    const { ended, stderr } = start(process.execPath, ['-r', './hook.cjs', main, 'health'], { PORT: '1' }, folder);
    await ended;
    expect(stderr()).toContain('packages/trellis/src/commands/health.ts');
    expect(stderr()).not.toMatch(/express|kysely|yaml\/|sqlite|packages\/trellis\/src\/http\/(?!entity-tag|node-http)/);
  });
});
