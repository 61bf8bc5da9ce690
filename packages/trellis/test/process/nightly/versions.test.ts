import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { blocks } from '../../support/readme.ts';
import { OUTSIDE, pack, passed, sh } from '../../support/tarball.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

// ../long/tarball.test.ts installs the tarball beside the versions that the project uses.

const { name: TARBALL } = await pack();

describe('a service with other versions of the packages for development', () => {
  const old = join(OUTSIDE, 'old-tools');
  const described = (changes: object) => {
    const file = join(old, 'package.json');
    const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>) : {};
    writeFileSync(file, JSON.stringify({ ...before, ...changes }));
    return before;
  };
  const CHOSEN = { typescript: '5.8.3', 'fast-check': '4.11.0' };

  test('installs the tarball beside TypeScript 5.8.3 and fast-check 4.11 by npm, and passes its check', async () => {
    mkdirSync(old);
    described({ dependencies: { trellis: `file:../${TARBALL}` }, devDependencies: CHOSEN });
    for (const line of ['npm install --ignore-scripts', 'npx trellis init', 'npm install'])
      expect(await sh(old, line)).toEqual(passed());
    expect(described({})['devDependencies']).toMatchObject(CHOSEN);
    expect(await sh(old, 'npm run check')).toEqual(passed('types: passed'));
  });

  test('runs on Node 24, and says on an older Node what it needs', async () => {
    const other = temporaryFolder();
    for (const version of ['24.21.0', '22.23.1']) {
      const name = `node-${process.platform}-${process.arch}`;
      const folder = join(other, version);
      expect(await sh(other, `npm install --silent --no-save --force --prefix ${version} ${name}@${version}`)).toEqual(
        passed(),
      );
      const bin = join(folder, 'node_modules', name, 'bin');
      if (version.startsWith('24'))
        for (const line of ['npm run check', 'npm test']) expect(await sh(old, line, bin)).toEqual(passed());
      else
        for (const line of ['npm run --silent check', 'npm start --silent'])
          expect(await sh(old, line, bin)).toEqual({
            code: 1,
            output: `trellis needs Node 24 or newer, and this is Node ${version}\n`,
          });
    }
  });

  test('installs it by pnpm', async () => {
    const [tools, beside] = [temporaryFolder(), join(OUTSIDE, 'by-pnpm')];
    const left = ['node_modules', 'package-lock.json'];
    cpSync(old, beside, { recursive: true, filter: (file) => !left.includes(basename(file)) });
    expect(await sh(tools, 'npm install --silent --no-save --ignore-scripts pnpm@11')).toEqual(passed());
    const pnpm = join(tools, 'node_modules/.bin/pnpm');
    expect(await sh(beside, `${pnpm} install --no-frozen-lockfile --ignore-scripts && npm run check`)).toEqual(
      passed('types: passed'),
    );
  });

  test('takes TypeScript 6 with the override that docs/extending.md shows', async () => {
    const [override = ''] = blocks('extending', 'The versions of packages', 'json');
    const { devDependencies } = described({});
    described({
      ...(JSON.parse(`{${override}}`) as object),
      devDependencies: { ...devDependencies, typescript: '6.0.3' },
    });
    expect(await sh(old, 'npm install && npm run check')).toEqual(passed('types: passed'));
  });

  test('has types that compile with TypeScript 7, which the commands name with the version to install', async () => {
    const install = 'npm install --no-save --force --ignore-scripts';
    expect(await sh(old, `${install} typescript@7.0.2`)).toEqual(passed());
    expect(await sh(old, 'npx tsc --project .')).toEqual(passed(''));
    expect(await sh(old, 'npx trellis generate')).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^typescript 7\.0\.2 is installed, .* needs >=5\.8 <7: run `npm .* typescript@5\.9\.3`\n$/,
      ),
    });
  });

  test('names Redocly 2 with the version to install', async () => {
    const install = 'npm install --no-save --force --ignore-scripts typescript@5.9.3 @redocly/openapi-core@2';
    expect(await sh(old, install)).toEqual(passed());
    expect(await sh(old, 'npx trellis generate --check')).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^@redocly\/openapi-core 2\.\S+ is installed, .* @redocly\/openapi-core@1\.34\.24`\n$/,
      ),
    });
  });
});
