import { parseContract } from './contract.ts';
import { ContractError, Refusal } from './errors.ts';
import { compileValidators } from './validator.ts';

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

/**
 * Proves that the validator, called as validator.ts calls it, accepts what is valid and refuses what is not. A version
 * of it that works otherwise inside stops the start, instead of letting everything through.
 *
 * @throws ContractError if it does not
 */
export async function proveValidator(): Promise<void> {
  const validator = (await compileValidators(parseContract(PROBE))).get('probe');
  if (validator === undefined) throw new ContractError('the validator knows no operation of its probe');
  const exchange = (size: string, body: unknown) => ({
    params: { size } as Record<string, unknown>,
    query: {},
    headers: {},
    originalUrl: `/probe/${size}`,
    body,
  });
  const valid = exchange('7', VALID);
  validator.request(valid);
  const refused = failure(() => {
    validator.request(exchange('seven', INVALID));
  });
  const replyFailure = (status: number, body: unknown) =>
    failure(() => {
      validator.reply(status, body);
    });
  const outcomes = {
    'converts parameters': valid.params['size'] === 7,
    'names the faults of requests':
      refused instanceof Refusal &&
      ['path.size', 'body.id', 'body.colour'].every((name) => refused.message.includes(name)),
    'accepts replies': replyFailure(200, VALID) === undefined,
    'refuses replies': replyFailure(200, INVALID) !== undefined,
    'refuses headers of replies':
      failure(() => {
        validator.replyHeaders(200, { 'x-none': 'x' });
      }) !== undefined,
    'refuses replies that report a failure': replyFailure(503, INVALID) !== undefined,
  };
  for (const [promise, kept] of Object.entries(outcomes)) {
    if (!kept) throw new ContractError(`express-openapi-validator, as it is called here, no longer ${promise}`);
  }
}

function failure(attempt: () => void): unknown {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error;
  }
}
