import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import packageJson from '../../package.json' with { type: 'json' };
import { RESOURCE, SERVICE } from '../../src/framework/resource.ts';
import { ROOT } from '../support/service.ts';

/** The files about plants: a service for another resource rewrites them. */
const OF_THE_DOMAIN = /^src\/(?:resource\.ts|operations\/|storage\/(?:tables|.*\/migrations)\.ts)/;

test('only the source files about plants name the resource', () => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !OF_THE_DOMAIN.test(file));
  expect(sources.length).toBeGreaterThan(50);
  const name = new RegExp(RESOURCE.one, 'i');
  const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  expect(sources.filter((file) => name.test(textOf(file)))).toEqual([]);
});

test('package.json has the name of the service, and a script of that name', () => {
  expect(packageJson.name).toBe(SERVICE);
  expect(packageJson.scripts).toHaveProperty(SERVICE);
});
