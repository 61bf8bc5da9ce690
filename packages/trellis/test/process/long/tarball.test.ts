import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sharedPostgres } from '../../support/postgres.ts';
import { blocks, page } from '../../support/readme.ts';
import { listening, ROOT, start } from '../../support/service.ts';
import { BIN, OUTSIDE, pack, passed, sh } from '../../support/tarball.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

// These tests install the tarball with npm in a folder outside of this repository.

const NOTES = join(OUTSIDE, 'my-notes');

/** The bytes of all files of a folder. */
function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(
    file,
    text.replace(from, () => to),
  );
}

/** Starts the service in a folder, as `npm start` does, and sends requests to it. */
async function serve(folder: string, known = '') {
  const service = start('npm', ['start'], { PATH: `${BIN}:${process.env['PATH'] ?? ''}`, PORT: '0' }, folder);
  const url = await listening(service);
  const token = /\b[a-z0-9]+_[\w-]{43}\b/.exec(service.stderr())?.[0] ?? known;
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      replayed: response.headers.get('Idempotent-Replayed'),
      text: await response.text(),
    };
  };
  const stop = () => {
    service.child.kill('SIGTERM');
    return service.ended;
  };
  return { ask, stop, token };
}

const { tarball, name: TARBALL } = await pack();

test('npm run pack prints the path of a tarball of at most 420 kB, with three entry points', async () => {
  expect(statSync(tarball).size).toBeLessThanOrEqual(420_000);
  const { output } = await sh(OUTSIDE, `tar -xzOf ${TARBALL} package/package.json`);
  const described = JSON.parse(output) as { readonly exports: object; readonly private?: boolean };
  expect(Object.keys(described.exports)).toEqual(['.', './sql', './testing']);
  expect(page('trellis')).toContain(TARBALL);
});

test('the pages and the messages of the tarball name no file that it lacks', async () => {
  const folder = temporaryFolder();
  expect(await sh(folder, `tar -xzf ${tarball}`)).toEqual(passed());
  const pages = globSync('**/*.md', { cwd: join(folder, 'package') }).map((file) => join(folder, 'package', file));
  expect(pages.length).toBeGreaterThan(7);
  const broken = pages.flatMap((file) => {
    const text = readFileSync(file, 'utf8').replaceAll(/^```.*?^```$/gms, '');
    const links = Array.from(text.matchAll(/\]\((?!https?:|#)([^)\s#]+)/g), ([, link = '']) => link);
    return links.filter((link) => !existsSync(join(dirname(file), link))).map((link) => `${file}: ${link}`);
  });
  expect(broken).toEqual([]);
  const sources = globSync('{contract/,}{src,tools,testing}/**/*.js', { cwd: join(folder, 'package') });
  expect(sources.length).toBeGreaterThan(100);
  const ofRepository = [...pages, ...sources.map((file) => join(folder, 'package', file))].flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('packages/trellis') && !/^ *(?:\/\/|\/?\*)/.test(line)),
  );
  expect(ofRepository).toEqual([]);
});

describe('a service that README makes in an empty folder', () => {
  const [install = '', run = ''] = blocks('trellis', 'From an empty folder to a running service', 'sh');
  const [change = ''] = blocks('trellis', 'Make it yours', 'sh');
  const [makeFolder = '', installTrellis = '', ...begin] = install.trim().split('\n');

  test('installs at most 50 MB, runs no script of a package, and installs nothing for development', async () => {
    expect(makeFolder).toBe('mkdir my-notes && cd my-notes');
    mkdirSync(NOTES);
    expect(await sh(NOTES, installTrellis)).toEqual(passed());
    expect(sizeOf(join(NOTES, 'node_modules'))).toBeLessThanOrEqual(50_000_000);
    expect(existsSync(join(NOTES, 'node_modules/typescript'))).toBe(false);
    writeFileSync(join(NOTES, 'openapi.yaml'), '');
    const { code, output } = await sh(NOTES, 'npx trellis generate');
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^the package \S+ is missing.*npm install --save-dev .*typescript@/),
    ]);
  });

  test('passes its check and its tests', async () => {
    expect(await sh(NOTES, 'rm openapi.yaml')).toEqual(passed());
    for (const line of begin) expect(await sh(NOTES, line)).toEqual(passed());
    expect(readFileSync(join(NOTES, '.npmrc'), 'utf8')).toContain('ignore-scripts=true');
    for (const line of ['npm run generate', 'npm run check', ...run.trim().split('\n').slice(0, 1)])
      expect(await sh(NOTES, line)).toEqual(passed());
    expect(await sh(NOTES, 'npx trellis init')).toMatchObject({ code: 1, output: expect.stringContaining('exists') });
  });

  let firstToken = '';
  test('starts, creates, replays and refuses', async () => {
    const { ask, stop, token } = await serve(NOTES);
    firstToken = token;
    const note = { id: '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10', text: 'Water the Monstera' };
    expect(await ask('POST', '/notes', note)).toEqual({ status: 201, replayed: null, text: JSON.stringify(note) });
    expect(await ask('POST', '/notes', note)).toMatchObject({ status: 201, replayed: 'true' });
    expect(await ask('POST', '/notes', { ...note, text: 'x' })).toMatchObject({ status: 409 });
    expect(await ask('GET', `/notes/${note.id}`)).toMatchObject({ status: 200, text: JSON.stringify(note) });
    expect(await ask('GET', '/docs/')).toMatchObject({ status: 200 });
    await stop();
  });

  test('gets a new operation, which the compiler names and which then answers', async () => {
    const [yaml = ''] = blocks('trellis', 'Make it yours', 'yaml');
    const [said = ''] = blocks('trellis', 'Make it yours', 'console');
    const [code = ''] = blocks('trellis', 'Make it yours', 'ts');
    edit(join(NOTES, 'openapi.yaml'), '    post:\n', `${yaml}    post:\n`);
    const [generate = '', check = ''] = change.trim().split('\n');
    expect(await sh(NOTES, generate)).toEqual(passed());
    const missing = await sh(NOTES, check);
    expect(missing.code).toBe(1);
    const [before = '', between = ''] = said.split(/\{ .*? \}|Operations</);
    for (const part of [before, between]) expect(missing.output).toContain(part.trim());
    writeFileSync(join(NOTES, 'service/countNotes.ts'), code);
    const index = join(NOTES, 'service/index.ts');
    edit(index, 'import { createNote }', "import { countNotes } from './countNotes.ts';\nimport { createNote }");
    edit(index, 'operations: { createNote,', 'operations: { countNotes, createNote,');
    expect(await sh(NOTES, check)).toEqual(passed('types: passed'));
    const { ask, stop } = await serve(NOTES, firstToken);
    // The store has the note of an earlier test.
    expect(await ask('GET', '/notes')).toMatchObject({ status: 200, text: '{"count":1}' });
    await stop();
  });

  test('has a Dockerfile that copies what the service needs, and installs nothing for its development', async () => {
    const shop = join(OUTSIDE, 'shop');
    expect(await sh(OUTSIDE, 'my-notes/node_modules/.bin/trellis init shop')).toEqual(passed());
    const { dependencies } = JSON.parse(readFileSync(join(shop, 'package.json'), 'utf8')) as { dependencies: object };
    expect(dependencies).toEqual({ trellis: `file:../${TARBALL}` });
    cpSync(tarball, join(shop, TARBALL));
    const [, takeTarball = ''] = /`(npm install \S+ \.\/\S+)`/.exec(page('trellis')) ?? [];
    expect(await sh(shop, takeTarball)).toEqual(passed());

    const image = temporaryFolder();
    const dockerfile = readFileSync(join(shop, 'Dockerfile'), 'utf8');
    for (const [, from = '', to = ''] of dockerfile.matchAll(/^COPY (.*) (\S+)$/gm))
      expect(await sh(shop, `cp --recursive ${from} ${join(image, to)}`)).toEqual(passed());
    const [, install = ''] = /^RUN (npm .*)$/m.exec(dockerfile) ?? [];
    expect(await sh(image, install)).toEqual(passed());
    expect(sizeOf(join(image, 'node_modules'))).toBeLessThanOrEqual(50_000_000);
    const { packages } = JSON.parse(readFileSync(join(image, 'node_modules/.package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { readonly devOptional?: boolean }>>;
    };
    expect(Object.keys(packages)).toContain('node_modules/trellis');
    expect(Object.values(packages).filter(({ devOptional }) => devOptional)).toEqual([]);
    const { ask, stop } = await serve(image);
    const note = { id: '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10', text: 'Water the Monstera' };
    expect(await ask('POST', '/notes', note)).toMatchObject({ status: 201 });
    await stop();
  });

  test.each([
    { resolution: 'nodenext', exact: true },
    { resolution: 'bundler', exact: false },
  ])(
    'has types that compile by themselves, with $resolution and exactOptionalPropertyTypes $exact',
    async ({ resolution, exact }) => {
      const options = {
        skipLibCheck: false,
        exactOptionalPropertyTypes: exact,
        ...(resolution === 'bundler' && { module: 'esnext', moduleResolution: 'bundler' }),
      };
      const file = `tsconfig.${resolution}.json`;
      writeFileSync(join(NOTES, file), JSON.stringify({ extends: './tsconfig.json', compilerOptions: options }));
      expect(await sh(NOTES, `npx tsc --project ${file}`)).toEqual(passed(''));
    },
  );
});

test('a service of several tables and operations installs the tarball, and passes its check and its tests', async () => {
  const bank = join(OUTSIDE, 'bank');
  mkdirSync(bank);
  for (const each of ['openapi.yaml', 'package.json']) cpSync(join(ROOT, 'examples/bank', each), join(bank, each));
  writeFileSync(join(bank, 'package.json'), JSON.stringify({ dependencies: { trellis: `file:../${TARBALL}` } }));
  expect(await sh(bank, 'npm install --ignore-scripts')).toEqual(passed());
  expect(await sh(bank, 'npx trellis init && npm install && npm run generate')).toEqual(passed());
  expect(await sh(bank, 'npm run check')).toMatchObject({ code: 1, output: expect.stringContaining('openAccount') });
  cpSync(join(ROOT, 'examples/bank/service'), join(bank, 'service'), { recursive: true });
  cpSync(join(ROOT, 'examples/bank/main.ts'), join(bank, 'main.ts'));
  const tests = globSync('*.ts', { cwd: join(ROOT, 'examples/bank/test') }).filter((file) => file !== 'readme.test.ts');
  rmSync(join(bank, 'test'), { recursive: true, force: true });
  mkdirSync(join(bank, 'test'));
  for (const file of tests) cpSync(join(ROOT, 'examples/bank/test', file), join(bank, 'test', file));
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Readonly<Record<string, string>>;
  };
  const runner = ['jest', '@jest/globals'].map((name) => `${name}@${devDependencies[name] ?? ''}`).join(' ');
  expect(await sh(bank, `npm install --save-dev ${runner}`)).toEqual(passed());
  // All of its tests compile: they import nothing of the repository.
  expect(await sh(bank, 'npm run check')).toEqual(passed('types: passed'));
  const { ask, stop } = await serve(bank);
  expect(await ask('GET', '/currencies')).toMatchObject({ status: 200 });
  await stop();

  // Those that use the most of the package run in an unmodified Jest: in the service, by derived requests, as commands.
  const strip = '({ process: (source) => ({ code: stripTypeScriptTypes(source) }) })';
  const transform = `import { stripTypeScriptTypes } from 'node:module';\nexport default ${strip};\n`;
  writeFileSync(join(bank, 'strip-types.js'), transform);
  const config = {
    testMatch: ['accounts', 'contract', 'export'].map((name) => `<rootDir>/test/${name}.test.ts`),
    extensionsToTreatAsEsm: ['.ts'],
    testEnvironment: 'node',
    transform: { '\\.ts$': '<rootDir>/strip-types.js' },
    testTimeout: 600_000,
    maxWorkers: 2,
  };
  writeFileSync(join(bank, 'jest.config.json'), JSON.stringify(config));
  const url = (await sharedPostgres()).url();
  const jest = 'node --experimental-vm-modules node_modules/jest/bin/jest.js --config jest.config.json';
  const { code, output } = await sh(bank, `TEST_DATABASE_URL=${url} ${jest}`);
  expect([code, output]).toEqual([0, expect.stringMatching(/^Tests: +(\d{2,}) passed, \1 total$/m)]);
});

test('a contract becomes a service of stubs in an empty folder, as docs/extending.md says', async () => {
  const parcels = join(OUTSIDE, 'my-parcels');
  mkdirSync(parcels);
  cpSync(join(ROOT, 'packages/trellis/test/services/parcels/openapi.yaml'), join(OUTSIDE, 'parcels.yaml'));
  expect(await sh(parcels, `npm install --ignore-scripts ../${TARBALL}`)).toEqual(passed());
  const [commands = ''] = blocks('extending', 'From a contract that exists', 'sh');
  const [init = '', check = ''] = commands.trim().split('\n');
  const { code, output } = await sh(parcels, init);
  const [, install = ''] = /^the package \S+ is missing.*`(npm install .*)`$/m.exec(output) ?? [];
  expect([code, readdirSync(parcels)]).toEqual([1, expect.not.arrayContaining(['openapi.yaml'])]);
  for (const line of [install, init]) expect(await sh(parcels, line)).toEqual(passed());
  expect(await sh(parcels, check)).toEqual(passed('stubs: 14 to write'));
  expect(await sh(parcels, 'npm test')).toEqual(passed('answers a valid request of each operation, on SQLite'));
  const { ask, stop } = await serve(parcels);
  expect(await ask('GET', '/v2/parcels/9007199254740993')).toMatchObject({ status: 200 });
  expect(await ask('GET', '/docs/')).toMatchObject({ status: 200 });
  await stop();
});
