import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { AnyService } from '../../../src/service.ts';
import { faultsIn, programOf } from '../../support/compiled.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { ROOT, start, startInstance } from '../../support/service.ts';
import { atEnd, temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { trellis } from '../../support/trellis.ts';

const PACKAGE = join(ROOT, 'packages/trellis');
const CONTRACT = join(PACKAGE, 'test/services/parcels/openapi.yaml');

describe('a service that trellis init --contract has made', () => {
  // `trellis` is found as in a service: beneath the node_modules of this repository.
  let service = '';
  let generated: Awaited<ReturnType<typeof trellis>>;
  // The tests must send the token in this header field, not in Authorization.
  const scheme = '{ type: apiKey, in: header, name: X-Parcel-Key }';
  // A path that Redocly's `recommended` rules refuse, and that clients already use.
  const yaml = readFileSync(CONTRACT, 'utf8')
    .replace('{ type: http, scheme: bearer }', scheme)
    .replace('/depots:', '/depots/:');
  const read = (file: string) => readFileSync(join(service, file), 'utf8');
  beforeAll(async () => {
    mkdirSync(join(ROOT, '.cache'), { recursive: true });
    const folder = mkdtempSync(join(ROOT, '.cache/stubs-'));
    atEnd(() => {
      rmSync(folder, { recursive: true });
    });
    service = join(folder, 'parcels');
    // `trellis adopt` leaves such a folder: with the document that the contract was made of, and with the decisions.
    mkdirSync(service);
    for (const each of ['theirs.yaml', 'decisions.yaml', 'gitignore']) writeFileSync(join(service, each), yaml);
    expect(await trellis(service, 'init', '--contract', 'theirs.yaml')).toMatchObject({ code: 0, stderr: '' });
    expect(read('gitignore')).toBe(yaml);
    expect(read('.gitignore')).toContain('node_modules');
    generated = await trellis(service, 'generate');
    expect(generated).toMatchObject({ code: 0 });
  });

  test('has an errorBody, so that trellis generate does not warn that it needs one', () => {
    expect(generated.stderr).toBe('');
    expect(read('service/index.ts')).toMatch(/^ {2}errorBody,$/m);
  });

  test('has a file for each operation, with the example of the contract where it has one', () => {
    expect(read('openapi.yaml')).toBe(yaml);
    expect(readdirSync(join(service, 'service'))).toHaveLength(
      14 + ['errorBody', 'index', 'steps', 'tables', 'types'].length,
    );
    expect(read('service/sendParcel.ts')).toContain(
      "body: { id: 9007199254740993n, to: { name: 'Ada', street: ['Long Lane', '12'] }, grams: 250 }",
    );
    expect(read('service/getPrices.ts')).toContain('body: { at: 4.5, de: 5 }');
    expect(read('service/recallParcel.ts')).toContain("stub<Reply<'recallParcel'>>({ status: 204 })");
    expect(read('service/listDepots.ts')).toContain('body: [{ id: 1n }]');
    expect(read('service/drawLabel.ts')).toMatch(/body: new Uint8Array\(\d+\)/);
    expect(read('service/addPicture.ts')).toContain(String.raw`body: "1,Ada\r\n"`);
    expect(
      readdirSync(join(service, 'test'))
        .map((file) => read(`test/${file}`))
        .join(),
    ).toContain("body: 'Ada'");
  });

  test('compiles', () => {
    const files = globSync('{main.ts,{service,test,generated}/*.ts}', { cwd: service }).map((file) =>
      join(service, file),
    );
    expect(files.length).toBeGreaterThan(18);
    expect(faultsIn(programOf(files), files)).toEqual([]);
  });

  test('passes its tests on both engines', async () => {
    const settings = { TEST_DATABASE_URL: (await sharedPostgres()).url() };
    const { ended, stdout } = start(process.execPath, ['--test', 'test/*.test.ts'], settings, service);
    expect([await ended, stdout()]).toEqual([0, expect.stringMatching(/^ℹ pass 2$/m)]);
  });

  test('logs its stubs when it starts, serves its page, and answers failures as the contract declares them', async () => {
    const made = (await import(join(service, 'service/index.ts'))) as { readonly service: AnyService };
    const { url, log, token, stop } = await startInstance({}, made.service, service);
    expect(log().filter(({ stubs }) => stubs !== undefined)).toEqual([
      expect.objectContaining({ level: 'warn', stubs: expect.arrayContaining(['sendParcel', 'getHealth']) }),
    ]);
    expect((await fetch(`${url}/docs/`)).status).toBe(200);
    const headers = { 'X-Parcel-Key': token, 'X-Request-Id': 'mine' };
    const [parcel, none] = await Promise.all(
      ['/v2/parcels/7', '/v2/parcels/x'].map((path) => fetch(`${url}${path}`, { headers })),
    );
    expect([parcel?.status, none?.status]).toEqual([200, 400]);
    const said = expect.stringContaining('id');
    expect(await none?.json()).toEqual({ code: 40010, title: said, trace: 'mine', hints: [said] });
    expect(await stop()).toBe(0);
  });

  test('shows the answer of an operation that is written and does not find what its request names', async () => {
    const file = join(service, 'service/getParcel.ts');
    writeFileSync(
      file,
      `import type { Reply } from './types.ts';
export const getParcel = (): Promise<Reply<'getParcel'>> =>
  Promise.resolve({ status: 404, body: { code: 40404, title: 'no such parcel', trace: 'mine', hints: [] } });
`,
    );
    const args = ['--test', '--test-name-pattern=SQLite', 'test/*.test.ts'];
    const { ended, stdout } = start(process.execPath, args, {}, service);
    const told = "getParcel answered 404: { code: 40404, title: 'no such parcel', trace: 'mine', hints: [] }";
    expect([await ended, stdout()]).toEqual([1, expect.stringContaining(told)]);
  });
});

test('trellis init writes nothing from a contract that is not OpenAPI 3.1, and names the place', async () => {
  const folder = temporaryFolder();
  const yaml = readFileSync(CONTRACT, 'utf8').replace('openapi: 3.1.0', 'openapi: 3.0.3');
  writeFileSync(join(folder, 'theirs.yaml'), yaml);
  const { code, stderr } = await trellis(folder, 'init', 'parcels', '--contract', 'theirs.yaml');
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^theirs\.yaml:\d+:\d+ must be OpenAPI 3\.1/)]);
  expect(existsSync(join(folder, 'parcels'))).toBe(false);
});

test('trellis init --contract takes the openapi.yaml of the folder, and no other file while that exists', async () => {
  const folder = join(temporaryFolder(), 'parcels');
  mkdirSync(folder);
  cpSync(CONTRACT, join(folder, 'openapi.yaml'));
  expect(await trellis(folder, 'init', '--contract', 'other.yaml')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'openapi.yaml exists: remove it, or name it by --contract\n',
  });
  expect(await trellis(folder, 'init', '--contract', 'openapi.yaml')).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, 'service/index.ts'), 'utf8')).toContain('    sendParcel,\n');
});

test('trellis init names the place where the contract does not allow the errorBody that it writes', async () => {
  const folder = temporaryFolder();
  const yaml = readFileSync(CONTRACT, 'utf8');
  writeFileSync(join(folder, 'theirs.yaml'), yaml.replace('maxLength: 300', 'format: ipv4'));
  const { code, stderr } = await trellis(folder, 'init', 'parcels', '--contract', 'theirs.yaml');
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^service\/errorBody\.ts is a draft: openapi\.yaml:\d+/)]);
  expect(readFileSync(join(folder, 'parcels/service/errorBody.ts'), 'utf8')).toContain('title: message,');
});
