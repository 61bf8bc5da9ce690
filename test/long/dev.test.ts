import { expect, test } from '@jest/globals';
import { freePort } from '../../packages/trellis/test/support/port.ts';
import { Project } from '../../packages/trellis/test/support/project.ts';
import { listening, start } from '../../packages/trellis/test/support/service.ts';
import { until } from '../../packages/trellis/test/support/until.ts';
import { createPlant } from '../support.ts';

test('npm run dev restarts the service on each change, or names the broken line and keeps the service running', async () => {
  const project = new Project();
  const port = await freePort();
  const dev = start(process.execPath, ['packages/trellis/bin/trellis', 'dev'], { PORT: String(port) }, project.folder);
  // On SIGTERM, `trellis dev` ends the service that it started.
  using _ended = { [Symbol.dispose]: () => dev.child.kill('SIGTERM') };
  const url = await listening(dev);
  const token = /plantstore_[\w-]{43}/.exec(dev.stderr())?.[0] ?? '';
  let id = 0;
  const answer = async (name: string) => {
    const plant = JSON.stringify({ id: ++id, name });
    const response = await createPlant({ url, token }, plant).catch(() => undefined);
    return response === undefined ? 'none' : `${response.status} ${await response.text()}`;
  };

  const restarts = () => dev.stdout().split('dev: starting the service').length;
  const refused = () => dev.stdout().split('dev: correct this; the old service is still running').length;

  expect(await answer('123456789012345678901')).toMatch(/^200 /);
  project.edit('openapi.yaml', 'maxLength: 1000', 'maxLength: 20');
  await until(async () => (await answer('123456789012345678901')).startsWith('400 '));

  project.edit('openapi.yaml', 'maxLength: 20\n', 'maxLength: 20\n    \ttab\n');
  await until(() => /openapi\.yaml:\d+:\d+: this is not YAML: /.test(dev.stdout() + dev.stderr()));
  await until(() => refused() > 1);
  expect(await answer('12345678901234567890')).toMatch(/^200 /);

  // Saving a source file does not restart the service while the contract is broken.
  const before = refused();
  project.edit('src/createPlant.ts', '/** The id', '/**  The id');
  await until(() => refused() > before);
  expect(await answer('12345678901234567890')).toMatch(/^200 /);

  project.edit('openapi.yaml', 'maxLength: 20\n    \ttab\n', 'maxLength: 21\n');
  await until(async () => (await answer('123456789012345678901')).startsWith('200 '));

  project.edit('src/createPlant.ts', 'status: 200', 'status: 201');
  await until(() => /src\/createPlant\.ts\(\d+,\d+\): error TS\d+: /.test(dev.stdout()));
  await until(() => refused() > before + 1);
  expect(await answer('12345678901234567890')).toMatch(/^200 /);

  project.edit('src/createPlant.ts', 'status: 201', 'status: 200');
  const begun = restarts();
  await until(() => restarts() > begun);

  dev.child.kill('SIGTERM');
  expect(await dev.ended).toBe(0);
  expect(await answer('x')).toBe('none');
});
