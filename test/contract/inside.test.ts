import { expect, test } from '@jest/globals';
import { loadContract } from '../../src/contract/load.ts';
import { Project } from '../support/project.ts';
import { plantStore } from '../support/service.ts';

const PROBE = `
openapi: 3.1.0
info: { title: probe, version: 1.0.0 }
paths:
  /probe/{size}:
    post:
      operationId: probe
      parameters:
        - { name: size, in: path, required: true, schema: { type: integer } }
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
      responses:
        '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
        '503': { description: no, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
components:
  schemas:
    Thing:
      type: object
      additionalProperties: false
      required: [id]
      properties: { id: { type: integer, format: int64 } }
`;
const VALID = { id: 2 ** 63 };
const INVALID = { id: 1e300, colour: 'red' };

const [operation] = (await loadContract(PROBE)).operations;
if (operation === undefined) throw new Error('the contract has the operation probe');
const { validator } = operation;
const parts = (size: string, body: unknown) => ({
  params: { size } as Record<string, unknown>,
  query: {},
  headers: {},
  originalUrl: `/probe/${size}`,
  body,
});

test('the validator, as it is called, converts parameters', () => {
  const valid = parts('7', VALID);
  validator.request(valid);
  expect(valid.params['size']).toBe(7);
});

test('the validator, as it is called, names the faults of requests', () => {
  const names = ['path.size', 'body.id', 'body.colour'].map((name) => expect.stringContaining(name));
  for (const message of names)
    expect(() => {
      validator.request(parts('seven', INVALID));
    }).toThrow(expect.objectContaining({ name: 'Refusal', message }));
});

test.each([200, 503])('the validator, as it is called, accepts and refuses replies with %s', (status) => {
  validator.reply(status, VALID);
  expect(() => {
    validator.reply(status, INVALID);
  }).toThrow('breaks the contract');
});

test('the validator, as it is called, refuses headers of replies', () => {
  expect(() => {
    validator.replyHeaders(200, { 'x-none': 'x' });
  }).toThrow('breaks the contract');
});

test('the service does not start with a version of the validator that was not tested', async () => {
  const project = new Project();
  project.edit('src/contract/validator-eov.ts', "['5.6.2']", "['5.6.1']");
  const { code, stderr } = await plantStore(['serve'], {}, project.folder, {}, project.main);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^plant-store: express-openapi-validator 5\.6\.2 was not tested with this service: install 5\.6\.1$/m,
  );
});
