import { expect, test } from '@jest/globals';
import { readBodyLimit } from '../../../../src/contract/rules/body-limit.ts';
import { type DeclaredOperation, readOpenApi } from '../../../../src/contract/schema/document.ts';

function limitOf(extension: string): number {
  const document = readOpenApi(`openapi: 3.1.0\noperation: {${extension}}\n`) as unknown as {
    readonly operation: DeclaredOperation;
  };
  return readBodyLimit(document.operation, 'here');
}

test.each([
  ['', 65_536],
  ['x-max-body-bytes: 1', 1],
  ['x-max-body-bytes: 1048576', 1_048_576],
])('an operation with {%s} accepts a body of %d bytes', (extension, bytes) => {
  expect(limitOf(extension)).toBe(bytes);
});

test.each(['0', '1.5', '1048577', '-1', '64 KiB', 'null'])('x-max-body-bytes cannot be %s', (limit) => {
  expect(() => limitOf(`x-max-body-bytes: ${limit}`)).toThrow(
    'openapi.yaml:2:1, here: x-max-body-bytes must be an integer from 1 to 1048576',
  );
});
