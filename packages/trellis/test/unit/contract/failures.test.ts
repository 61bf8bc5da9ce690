import { describe, expect, test } from '@jest/globals';
import { loadContract } from '../../../src/contract/load.ts';

const PROBLEM = `type: object
      additionalProperties: false
      required: [type, title, status, detail, error]
      properties:
        type: { const: about:blank }
        title: { type: string }
        status: { type: integer, minimum: 400, maximum: 599 }
        detail: { type: string, maxLength: 32768 }
        error: { type: integer, minimum: 40000, maximum: 59999 }`;

/** A contract with one operation. @param responses YAML that follows its reply 200, from line 10 on */
function withResponses(responses: string, security = '[{ bearerAuth: [] }]'): string {
  return `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    get:
      operationId: getThings
      security: ${security}
      responses:
        '200': { description: things }
${responses}
components:
  securitySchemes: { bearerAuth: { type: http, scheme: bearer } }
  schemas:
    Error:
      type: object
      additionalProperties: false
      required: [error, message]
      properties: { error: { type: integer }, message: { type: string } }
    Problem:
      ${PROBLEM}
`;
}

const response = (status: string, schema: string, mediaType = 'application/json', headers = '{}') =>
  `        '${status}': { description: x, headers: ${headers}, content: { ${mediaType}: { schema: ${schema} } } }\n`;
const error = (status: string) => response(status, "{ $ref: '#/components/schemas/Error' }");
const problem = (status: string, headers?: string) =>
  response(status, "{ $ref: '#/components/schemas/Problem' }", 'application/problem+json', headers);
const all = (...statuses: readonly string[]) => statuses.map(error).join('');

describe('loadContract', () => {
  const headers = (...fields: readonly string[]) => `{ ${fields.join()} }`;
  test.each([
    ['under default', error('default')],
    ['as a problem under default', problem('default')],
    ['by status', all('400', '401', '403', '429', '500', '503')],
    ['in different shapes', problem('400') + error('default')],
    [
      'with header fields that the service always sends',
      problem('401', headers('www-authenticate: { required: true, schema: { type: string, pattern: ^Bearer } }')) +
        problem('503', headers('Retry-After: { required: true, schema: { type: string, pattern: "1" } }')) +
        problem(
          '429',
          headers(
            'Retry-After: { required: true, schema: { type: integer, minimum: 1 } }',
            'RateLimit: { required: true, schema: { type: string } }',
          ),
        ) +
        problem('default', headers('X-Request-Id: { required: true, schema: { type: string } }')),
    ],
  ])('accepts the failures of the service declared %s', async (_name, responses) => {
    await expect(loadContract(withResponses(responses))).resolves.toBeDefined();
  });

  test('accepts an operation without 401, 403 and 429 if it needs no token', async () => {
    const responses = all('400', '500', '503');
    await expect(loadContract(withResponses(responses, '[]'))).resolves.toBeDefined();
  });

  test.each(['400', '401', '403', '429', '500', '503'])('refuses an operation without %s', async (status) => {
    const others = ['400', '401', '403', '429', '500', '503'].filter((each) => each !== status);
    await expect(loadContract(withResponses(all(...others)))).rejects.toThrow(
      `openapi.yaml:5:5, GET /things: the service itself answers ${status}: declare ${status} or default`,
    );
  });

  const refused = (status: string, shown: string) =>
    `openapi.yaml:10:9, GET /things: the service itself answers ${status} with ${shown}, which must be valid: the reply of getThings breaks the contract: `;
  const [asError, asProblem] = [
    '{"error":40001,"message":"… up to 32768 characters"}',
    '{"type":"about:blank","title":"Bad Request","status":400,"detail":"… up to 32768 characters","error":40001}',
  ];
  test.each([
    [
      'without a body',
      '        default: { description: x }',
      'openapi.yaml:10:9, GET /things: the service itself answers 400: declare it as application/json or application/problem+json',
    ],
    [
      'with another media type',
      response('default', '{}', 'application/vnd.error+json'),
      'openapi.yaml:10:9, GET /things: the service itself answers 400: declare it as application/json or application/problem+json',
    ],
    [
      'with a schema that requires another member',
      response('default', '{ type: object, required: [reason] }'),
      `${refused('400', asError)}body.reason is required`,
    ],
    [
      'as a problem without an error number',
      response(
        'default',
        '{ properties: { type: {}, title: {}, status: {}, detail: {} }, additionalProperties: false }',
        'application/problem+json',
      ),
      `${refused('400', asProblem)}body.error is not allowed`,
    ],
    [
      'with a schema that lacks one of the error numbers',
      response('400', '{ properties: { error: { enum: [40001, 40002] } } }') + error('default'),
      `${refused('400', asError.replace('40001', '40003'))}body.error must be equal to one of the allowed values: 40001, 40002`,
    ],
    [
      'with a schema that limits messages too much',
      response('default', '{ properties: { message: { type: string, maxLength: 32767 } } }'),
      `${refused('400', asError)}body.message must not have more than 32767 characters`,
    ],
    [
      'with a required header that the service does not send',
      response('default', '{}', undefined, '{ X-Total: { required: true, schema: { type: integer } } }'),
      `${refused('400', asError)}header.X-Total is required`,
    ],
    [
      'with a header whose schema refuses the value that the service sends',
      response('503', '{}', undefined, '{ Retry-After: { schema: { type: integer, minimum: 5 } } }') + error('default'),
      `${refused('503', asError.replace('40001', '50300'))}header.Retry-After must be at least 5`,
    ],
  ])('refuses a failure of the service declared %s', async (_name, responses, message) => {
    await expect(loadContract(withResponses(responses))).rejects.toThrow(message);
  });

  const created = (fields: string) => response('201', '{}', undefined, fields) + error('default');

  test('lets an operation leave out a required X-Request-Id, which the service adds', async () => {
    const responses = created('{ X-Request-Id: { required: true, schema: { type: string } } }');
    const { operations } = await loadContract(withResponses(responses));
    expect(() => operations[0]?.validator.reply(201, {}, 'made')).not.toThrow();
  });

  test.each([
    [
      '201',
      '{ x-request-id: { schema: { type: string, format: uuid } } }',
      'AZaz09_.~:/+=-',
      ' must match format "uuid"',
    ],
    [
      '201',
      '{ x-request-id: { schema: { type: string, minLength: 8 } } }',
      '1',
      ' must not have fewer than 8 characters',
    ],
    [
      'default',
      '{ X-Request-Id: { schema: { type: string, maxLength: 99 } } }',
      '~'.repeat(128),
      ' must not have more',
    ],
  ])('refuses a reply %s with %s, as clients choose the id', async (status, fields, id, fault) => {
    const body = "{ $ref: '#/components/schemas/Error' }";
    const responses = status === 'default' ? response(status, body, undefined, fields) : created(fields);
    const [, name = ''] = /(x-request-id)/i.exec(fields) ?? [];
    await expect(loadContract(withResponses(responses))).rejects.toThrow(
      `, GET /things, response ${status}: clients may choose the id ${id}, but header.${name}${fault}`,
    );
  });

  test.each(['RateLimit', 'ratelimit-policy'])('refuses a reply with %s as required', async (name) => {
    await expect(
      loadContract(withResponses(created(`{ ${name}: { required: true, schema: { type: string } } }`))),
    ).rejects.toThrow(`the header ${name} is sent only where RATE_LIMIT is set: leave out required`);
  });
});
