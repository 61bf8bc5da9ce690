import { describe, expect, test } from '@jest/globals';
import { SETTINGS } from '../src/config.ts';
import { MAX_BODY_BYTES } from '../src/contract/request.ts';
import { MAX_DEPTH } from '../src/contract/json.ts';
import { YAML } from './support/app.ts';
import { Project } from './support/project.ts';
import { blocks, README, run } from './support/readme.ts';
import { plantStore } from './support/service.ts';

describe('README', () => {
  test('has the error numbers of the contract', () => {
    const rows = (text: string) =>
      [...text.matchAll(/\| (\d{5}) \|(?: \d{3} \|)? (.+?) +\|/g)].map(([, number, meaning]) => [number, meaning]);
    expect(rows(README)).toEqual(rows(YAML));
  });

  test('has the limits of the contract', () => {
    expect(README).toContain(`body ${MAX_BODY_BYTES / 1024} KiB`);
    expect(YAML).toContain(`at most ${MAX_BODY_BYTES / 1024} KiB`);
    expect(README).toContain(`at most ${MAX_DEPTH} levels`);
    expect(YAML).toContain(`at most ${MAX_DEPTH} levels deep`);
    expect(YAML).toContain('minLength: 1\n      maxLength: 1000');
    expect(YAML).toContain('maxLength: 200');
    expect(README).toContain('`name` 1 to 1,000 characters, `tag` up to 200');
  });

  test('has every setting, with its default and its meaning, as the service has them', () => {
    const rows = [...README.matchAll(/^\| `([A-Z_]+)` +\| (?:`(\S+)`)? +\| (.+?) +\|$/gm)].map(([, ...cells]) => cells);
    const settings = Object.entries<{ readonly default?: string; readonly meaning: string }>(SETTINGS);
    expect(rows).toEqual(settings.map(([name, setting]) => [name, setting.default, setting.meaning]));
  });

  test('has every command, and each line of it works as it stands', async () => {
    const project = new Project();
    const [commands = ''] = blocks('Commands', 'sh');
    const { stdout: help } = await plantStore(['--help'], {});
    for (const [, name = ''] of help.matchAll(/^ {2}(?!help)([a-z]+)/gm))
      expect(README).toMatch(new RegExp(`\`${name}[ \`]`));
    // A plant to be removed: the service is not running here.
    expect((await run(project, 'npm run --silent plant-store -- migrate')).code).toBe(0);
    expect(
      (
        await run(
          project,
          `scripts/node -e "new (require('node:sqlite').DatabaseSync)('data/plants.db').exec('insert into plants (id, name) values (1, 2)')"`,
        )
      ).code,
    ).toBe(0);
    for (const line of commands.trim().split('\n')) {
      expect({ line, ...(await run(project, line)) }).toMatchObject({ line, code: 0 });
    }
    expect(project.read('plants.ndjson')).toBe('{"id":1,"name":"2"}\n');
  });

  test('has no other command that does not work', async () => {
    const project = new Project();
    // CI runs these: in a fresh clone, as the tests themselves, in short, or in a test of their own.
    const elsewhere =
      /^npm (ci|start|test|run (check|contract:check|contract:release|coverage|bench|dev|provider|screenshot|test:long|test:faults|test:attacks))$/;
    const inText = new Set([...README.matchAll(/`(np[mx] [^`]+)`/g)].map(([, line = '']) => line));
    expect([...inText]).toContain('npm run generate');
    for (const line of inText) {
      if (elsewhere.test(line)) continue;
      expect({ line, ...(await run(project, line.replace('NAME', 'reader'))) }).toMatchObject({ line, code: 0 });
    }
  });
});
