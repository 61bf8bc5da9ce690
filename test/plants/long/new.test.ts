import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Project } from '../../support/project.ts';
import { run } from '../../support/readme.ts';
import { startService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const project = new Project();

test('npm run new begins a service that is checked, runs, and has stores and tokens of its own', async () => {
  const { code, stdout } = await run(project, 'npm run --silent new -- examples/my-tasks');
  expect([code, stdout]).toEqual([0, expect.stringContaining('examples/my-tasks has a service of notes.')]);
  expect(await run(project, 'npm run --silent check:contract')).toMatchObject({ code: 0, stderr: '' });
  expect(await run(project, 'npm run --silent check:types')).toMatchObject({ code: 0, stdout: '' });
  const main = join(project.folder, 'examples/my-tasks/main.ts');
  const database = `sqlite:${join(temporaryFolder(), 'notes.db')}`;
  const service = await startService({ DATABASE_URL: database }, project.folder, main);
  expect(service.token).toMatch(/^mytasks_/);
  const { status } = await fetch(`${service.url}/notes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
    body: '{"id":"3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10","text":"x"}',
  });
  expect(status).toBe(201);
  await service.stop();
  const other = run(project, `DATABASE_URL=${database} scripts/node examples/minimal/main.ts export`);
  expect((await other).stderr).toContain('belongs to another application');
});

test.each([
  ['', 'name the folder of the service: npm run new -- examples/NAME'],
  ['../tasks', 'name the folder of the service'],
  ['examples/My Tasks', 'name the folder of the service'],
  ['examples/bank', 'examples/bank exists: choose another name'],
])('npm run new -- %s makes nothing, and says what to give', async (folder, message) => {
  const { code, stderr } = await run(project, `npm run --silent new -- "${folder}"`);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  expect(existsSync(join(project.folder, 'tasks'))).toBe(false);
});
