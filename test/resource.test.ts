import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import packageJson from '../package.json' with { type: 'json' };
import { RESOURCE, SERVICE } from '../src/resource.ts';
import { ROOT } from './support/service.ts';

/** What is of this domain, which every other one writes anew. */
const OF_THE_DOMAIN = /^src\/(?:resource\.ts|operations\/|storage\/(?:tables|.*\/migrations)\.ts|pages\/landing\.ts)/;

test('the sources take what the service keeps from one place', () => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !OF_THE_DOMAIN.test(file));
  expect(sources.length).toBeGreaterThan(50);
  const name = new RegExp(RESOURCE.one, 'i');
  const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  expect(sources.filter((file) => name.test(textOf(file)))).toEqual([]);
});

test('the package has the name of the service, and runs its command by it', () => {
  expect(packageJson.name).toBe(SERVICE);
  expect(packageJson.scripts).toHaveProperty(SERVICE);
});
