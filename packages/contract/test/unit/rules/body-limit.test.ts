import { expect, test } from '@jest/globals';
import { examine } from '../../../src/load.ts';

function limitOf(extension: string, body = 'application/json: { schema: true }'): number | undefined {
  const { found, operations } = examine(`openapi: 3.1.0
info: { title: Notes, version: 1.0.0 }
paths:
  /notes:
    post:
      operationId: createNote
      ${extension}
      requestBody: { content: { ${body} } }
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

test.each(['0', '1.5', '16777217', '-1', '64 KiB', 'null'])('x-max-body-bytes cannot be %s', (limit) => {
  expect(() => limitOf(`x-max-body-bytes: ${limit}`)).toThrow(
    'openapi.yaml:7:7: x-max-body-bytes must be an integer from 1 to 16777216',
  );
});

test('an operation whose bodies are all bytes accepts up to 16 MiB, and no other one more than 1 MiB', () => {
  expect(limitOf('x-max-body-bytes: 16777216', 'application/pdf: {}, image/png: {}')).toBe(16_777_216);
  for (const body of ['application/json: { schema: true }', 'application/pdf: {}, text/plain: {}'])
    expect(() => limitOf('x-max-body-bytes: 1048577', body)).toThrow(
      'openapi.yaml:5:5, post /notes: x-max-body-bytes can be more than 1048576 only where all bodies are bytes',
    );
});
