import { describe, expect, test } from '@jest/globals';
import { proveValidator } from '../../src/contract/probe.ts';
import { Project } from '../support/project.ts';
import { plantStore } from '../support/service.ts';

describe('the validator proves that it works as it is called:', () => {
  test('as it is, it does', async () => {
    await expect(proveValidator()).resolves.toBeUndefined();
  });

  const validators = 'const { replyValidators: validators } = this;';
  test.each([
    ['throw contractBroken(error.errors, this.patterns);', 'return;', 'no longer names the faults of requests'],
    ['void this.requests.validate(', '((..._: unknown[]) => (passed = true))(', 'no longer converts parameters'],
    ['passed = true;', '', 'gave no answer'],
    ['throw new ReplyError(', 'void (', 'no longer refuses replies'],
    [
      validators,
      `${validators} if (Number(response) > 499) return;`,
      'no longer refuses replies that report a failure',
    ],
  ])('one that lets everything through stops the start: %s', async (from, to, message) => {
    const project = new Project();
    project.edit('src/contract/validator.ts', from, to);
    const { code, stderr } = await plantStore(['serve'], {}, project.folder, {}, project.main);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^plant-store: .*express-openapi-validator/);
    expect(stderr).toContain(message);
  });
});
