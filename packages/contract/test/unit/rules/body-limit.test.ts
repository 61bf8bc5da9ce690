import { expect, test } from '@jest/globals';
import { examine } from '../../../src/load.ts';

function limitOf(extension: string): number | undefined {
  const { found, operations } = examine(`openapi: 3.1.0
info: { title: Notes, version: 1.0.0 }
paths:
  /notes:
    post:
      operationId: createNote
      ${extension}
      requestBody: { content: { application/json: { schema: true } } }
      responses:
        default: { description: Any., content: { application/json: { schema: true } } }
`);
  found.requireNone();
  return operations[0]?.body?.maxBytes;
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
    'openapi.yaml:7:7: x-max-body-bytes must be an integer from 1 to 1048576',
  );
});
