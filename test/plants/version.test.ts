import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import packageJson from '../../package.json' with { type: 'json' };
import { Project } from '../support/project.ts';
import { ROOT, runProcess } from '../support/service.ts';
import { LAYOUT } from './support.ts';
import { temporaryFolder } from '../support/temporary.ts';

test('--version names the version and the schema, and the commit that an archive or an image has', async () => {
  const project = new Project();
  const version = async () => (await runProcess(['--version'], {}, temporaryFolder(), {}, project.main)).stdout;
  expect(await version()).toBe(`${packageJson.version} (schema ${LAYOUT.version})\n`);
  const commit = '0123456789abcdef0123456789abcdef01234567';
  project.write('src/framework/commit.txt', `${commit}\n`);
  expect(await version()).toBe(`${packageJson.version} (schema ${LAYOUT.version}, commit ${commit})\n`);
  // Git replaces this text in an archive, and the Dockerfile replaces the file.
  expect(readFileSync(join(ROOT, 'src/framework/commit.txt'), 'utf8')).toBe('$Format:%H$\n');
  expect(project.read('.gitattributes')).toContain('src/framework/commit.txt export-subst\n');
  expect(project.read('Dockerfile')).toContain('echo "$COMMIT" > src/framework/commit.txt');
});

test('the image, its files and the lock file have the version of package.json', () => {
  const texts = ['package-lock.json', 'Dockerfile', 'deploy/compose.yaml', 'deploy/kubernetes/plant-store.yaml'].map(
    (file) => readFileSync(join(ROOT, file), 'utf8'),
  );
  const found = texts.map((text) => /(?:"version": "|image\.version="|image: plant-store:)([\d.]+)/.exec(text)?.[1]);
  expect(found).toEqual(texts.map(() => packageJson.version));
});
