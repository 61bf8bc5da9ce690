import { describe, expect, test } from '@jest/globals';
import { YAML } from '../../support/app.ts';
import { Project } from '../../support/project.ts';
import { runProcess, ROOT, start, startService } from '../../support/service.ts';

test('loadContract hides one known deprecation warning, and no other', async () => {
  const script = `
    import { loadContract } from './packages/trellis/src/contract/load.ts';
    await loadContract(${JSON.stringify(YAML)});
    process.emitWarning('another one', 'DeprecationWarning');`;
  const { ended, stderr } = start(process.execPath, ['--input-type=module', '-e', script], {}, ROOT);
  expect(await ended).toBe(0);
  expect(stderr().match(/DeprecationWarning: .*/g)).toEqual(['DeprecationWarning: another one']);
});

describe('with versions that were not tested,', () => {
  const project = new Project();
  const VALIDATOR = 'packages/trellis/src/contract/validator/validator-eov.ts';
  const untested = (tested: string) =>
    `express-openapi-validator 5.6.2 was not tested with this service: install ${tested}`;

  test('the service warns of another Node and another patch of the validator, and generate refuses that patch', async () => {
    project.edit(VALIDATOR, "['5.6.2']", "['5.6.1']");
    project.edit('packages/trellis/src/http/node-http.ts', "'26.10.0'", "'26.9.0'");
    const service = await startService({}, project.folder, project.itemsMain);
    const warnings = service.log().filter(({ level }) => level === 'warn');
    expect(warnings.map(({ msg }) => msg)).toEqual([
      `Node ${process.versions.node} was not tested with this service: the tests have passed with 24.21.0 and 26.9.0`,
      untested('5.6.1'),
    ]);
    await service.stop();
    const { ended, stderr } = start(process.execPath, ['packages/trellis/bin/trellis', 'generate'], {}, project.folder);
    expect([await ended, stderr()]).toEqual([1, `${untested('5.6.1')}\n`]);
  });

  test('the service does not start with another minor version of the validator', async () => {
    project.restore(VALIDATOR);
    project.edit(VALIDATOR, "['5.6.2']", "['5.5.9']");
    const { code, stderr } = await runProcess(['serve'], {}, project.folder, {}, project.itemsMain);
    expect([code, stderr]).toEqual([1, `item-store: ${untested('5.5.9')}\n`]);
  });
});
