import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import packageJson from '../package.json' with { type: 'json' };
import { Project } from '../packages/trellis/test/support/project.ts';
import { ROOT, runProcess } from '../packages/trellis/test/support/service.ts';
import { testWith } from '../packages/contract/test/support/skipping.ts';
import { LAYOUT } from './support.ts';
import { temporaryFolder } from '../packages/contract/test/support/temporary.ts';

const VERSION = `${packageJson.version} (schema ${LAYOUT.version}`;
const project = new Project();
const versionOf = async (main = project.main) =>
  (await runProcess(['--version'], {}, temporaryFolder(), {}, main)).stdout;

test('--version names the version and the schema, and the commit that an archive or an image has', async () => {
  // The text of a clone, which Git replaces in an archive.
  project.write('commit.txt', '$Format:%H$\n');
  expect(await versionOf()).toBe(`${VERSION})\n`);
  const commit = '0123456789abcdef0123456789abcdef01234567';
  project.write('commit.txt', `${commit}\n`);
  expect(await versionOf()).toBe(`${VERSION}, commit ${commit})\n`);
  // Git replaces this text in an archive, and the Dockerfile replaces the file.
  expect(readFileSync(join(ROOT, 'commit.txt'), 'utf8')).toMatch(/^(\$Format:%H\$|[\da-f]{40})\n$/);
  expect(project.read('.gitattributes')).toContain('commit.txt export-subst\n');
  expect(project.read('Dockerfile')).toContain('echo "$COMMIT" > commit.txt');
});

testWith(
  spawnSync('git', ['--version']).error && 'there is no Git',
  '--version names the commit that a clone has checked out, and none of a clone that it lies in',
  async () => {
    project.write('commit.txt', '$Format:%H$\n');
    const git = (folder: string, ...args: readonly string[]) => {
      const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.com', '-c', 'commit.gpgSign=false'];
      return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
    };
    git(dirname(project.folder), 'init', project.folder);
    for (const message of ['one', 'two']) {
      git(project.folder, 'commit', '--allow-empty', '--message', message);
      expect(await versionOf()).toBe(`${VERSION}, commit ${git(project.folder, 'rev-parse', 'HEAD')})\n`);
    }
    const inner = join(project.folder, 'inner');
    cpSync(join(project.folder, 'src'), join(inner, 'src'), { recursive: true });
    for (const file of ['package.json', 'openapi.yaml', 'generated'])
      cpSync(join(project.folder, file), join(inner, file), { recursive: true });
    expect(await versionOf(join(inner, 'src/main.ts'))).toBe(`${VERSION})\n`);
  },
);

test('the image, its files and the lock file have the version of package.json', () => {
  const texts = ['package-lock.json', 'Dockerfile', 'deploy/compose.yaml', 'deploy/kubernetes/plant-store.yaml'].map(
    (file) => readFileSync(join(ROOT, file), 'utf8'),
  );
  const found = texts.map((text) => /(?:"version": "|image\.version="|image: plant-store:)([\d.]+)/.exec(text)?.[1]);
  expect(found).toEqual(texts.map(() => packageJson.version));
});
