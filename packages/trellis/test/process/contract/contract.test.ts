import { cpSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { YAML } from '../../support/app.ts';
import { Project } from '../../support/project.ts';
import { runProcess, ROOT, start, startService } from '../../support/service.ts';

test('loadContract hides one known deprecation warning, and no other', async () => {
  const script = `
    import { loadContract } from './packages/contract/src/load.ts';
    await loadContract(${JSON.stringify(YAML)});
    process.emitWarning('another one', 'DeprecationWarning');`;
  const { ended, stderr } = start(process.execPath, ['--input-type=module', '-e', script], {}, ROOT);
  expect(await ended).toBe(0);
  expect(stderr().match(/DeprecationWarning: .*/g)).toEqual(['DeprecationWarning: another one']);
});

describe('untested versions', () => {
  const project = new Project();
  const PACKAGE = 'node_modules/express-openapi-validator';

  // A validator of its own, of another version.
  project.remove(PACKAGE);
  cpSync(realpathSync(join(ROOT, PACKAGE)), join(project.folder, PACKAGE), { recursive: true });
  project.edit(`${PACKAGE}/package.json`, '"version": "5.6.2"', '"version": "5.7.0"');
  const UNTESTED = 'express-openapi-validator 5.7.0 was not tested with this service: the tests have passed with 5.6.2';
  const generate = async () => {
    const { ended, stderr } = start(process.execPath, ['packages/trellis/bin/trellis', 'generate'], {}, project.folder);
    return [await ended, stderr()];
  };

  test('with versions that were not tested, start and generate warn of a validator that judges rightly', async () => {
    project.edit('packages/trellis/src/http/node-http.ts', "'26.10.0'", "'26.9.0'");
    const service = await startService({}, project.folder, project.itemsMain);
    const warnings = service.log().filter(({ level }) => level === 'warn');
    expect(warnings.map(({ msg }) => msg)).toEqual([
      `Node ${process.versions.node} was not tested with this service: the tests have passed with 24.21.0 and 26.9.0`,
      UNTESTED,
    ]);
    await service.stop();
    expect(await generate()).toEqual([0, `${UNTESTED}\n`]);
  });

  test('with versions that were not tested, start and generate refuse a validator that judges otherwise, or lacks a file', async () => {
    const file = `${PACKAGE}/dist/middlewares/openapi.response.validator.js`;
    project.edit(file, '(openApiSpec, options);', '(openApiSpec, { ...options, ownProperties: false });');
    const refused = (what: string) => {
      const needs = 'express-openapi-validator 5.7.0 does not judge messages as this service needs it';
      return expect.stringMatching(new RegExp(`${needs}: ${what}: install 5.6.2\\n$`));
    };
    expect(await generate()).toEqual([1, refused('a member that objects inherit, in a reply')]);
    project.remove(file);
    const { code, stderr } = await runProcess(['serve'], {}, project.folder, {}, project.itemsMain);
    expect([code, stderr]).toEqual([1, refused('it fails with MODULE_NOT_FOUND')]);
  });
});
