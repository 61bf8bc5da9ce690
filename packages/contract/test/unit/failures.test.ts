import { STATUS_CODES } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { ErrorNumber, PHRASES, Refusal, statusOf } from '../../src/refusal.ts';
import type { ErrorBodyOf } from '../../src/failures.ts';
import { loadContract } from '../../src/load.ts';

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
    ['without a body', '        default: { description: x }'],
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

describe('loadContract, with an errorBody,', () => {
  const MEMBERS = [
    'code: { type: integer, format: int64 }',
    'why: { type: string, maxLength: 32768 }',
    'trace: { type: string }',
    'at: { type: array, maxItems: 10, items: { type: object, required: [pointer] } }',
  ];
  const OWN = `{ type: object, additionalProperties: false, required: [code], properties: { ${MEMBERS.join()} } }`;
  const own = response('default', OWN, 'application/vnd.things+json');
  const errorBody: ErrorBodyOf = ({ number, message, faults, requestId, operationId }) => ({
    code: number,
    why: message,
    at: faults,
    trace: operationId === undefined ? undefined : requestId,
    unknown: 'left out',
  });
  const load = (make: ErrorBodyOf | 'any', responses = own, yaml = withResponses(responses)) =>
    loadContract(yaml, make);
  const withError = (schema: string) =>
    withResponses(own).replace(/ {4}Error:\n(?: {6}.*\n)+/, `    Error: ${schema}\n`);

  test('takes the body of a failure from the errorBody, without the members that the contract does not declare', async () => {
    const { tell, operations } = await load(errorBody, own, withError(OWN));
    const faults = [{ in: 'query', pointer: '/a', keyword: 'type', message: 'must be a number' }] as const;
    const refusal = new Refusal(40010, 'query.a must be a number', {}, undefined, faults);
    const body = { code: 40010, why: 'query.a must be a number', at: faults };
    const { mediaType, text = '' } = tell(refusal, 'an id', operations[0]);
    expect([mediaType, JSON.parse(text)]).toEqual(['application/vnd.things+json', { ...body, trace: 'an id' }]);
    const outside = tell(refusal, 'an id');
    expect([outside.mediaType, JSON.parse(outside.text ?? '')]).toEqual(['application/json', body]);
  });

  test('sends a failure as a text where the contract declares one', async () => {
    const texts = response('default', '{ type: string }', 'text/plain');
    const yaml = withError('{ type: string }').replace(own, () => texts);
    const { tell, operations } = await load(({ message }) => message, texts, yaml);
    expect(tell(new Refusal(50300, 'away'), 'an id', operations[0])).toEqual({
      mediaType: 'text/plain; charset=utf-8',
      text: 'away',
    });
  });

  test('sends no body for a failure that the contract declares without one', async () => {
    const yaml = withError(OWN).replace(own, () => `${own}        '503': { description: x }\n`);
    const { tell, operations } = await load(errorBody, own, yaml);
    expect(tell(new Refusal(50300, 'away'), 'an id', operations[0])).toEqual({});
  });

  test.each<[string, ErrorBodyOf, string, string?]>([
    [
      'a body that the contract does not allow',
      ({ message }) => ({ why: message }),
      'openapi.yaml:10:9, GET /things: the service itself answers 400 with {"why":"… up to 32768 characters"}, which must be valid: the reply of getThings breaks the contract: body.code is required',
    ],
    [
      'a body that holds ten faults, and may not',
      ({ number, faults }) => ({ code: number, at: faults.flatMap((fault) => [fault, fault]) }),
      'body.at must not have more than 10 items',
    ],
    [
      'what JSON lacks',
      () => ({ code: NaN }),
      'GET /things: the service itself answers 400 with { code: NaN }, which must',
    ],
    ['undefined', () => undefined, 'errorBody fails for 40001: it must return a body at once'],
    ['a promise', () => Promise.resolve({ code: 1 }), 'errorBody fails for 40001: it must return a body at once'],
    [
      'an error',
      ({ number }) => {
        if (number === 50300) throw new Error('no words for it');
        return { code: number };
      },
      'openapi.yaml:10:9, GET /things: errorBody fails for 50300: no words for it',
    ],
    [
      'a body outside operations that the schema Error does not allow',
      errorBody,
      'openapi.yaml:15:5, components/schemas/Error: the service itself answers 400 with {"code":40001,"why":"… up to 32768 characters","at":[],"unknown":"left out"}, which must be valid: the reply of components/schemas/Error breaks the contract: body.code must be a string',
      withError('{ properties: { code: { type: string } } }'),
    ],
  ])('refuses an errorBody that gives %s', async (_what, make, message, yaml = withError(OWN)) => {
    await expect(load(make, own, yaml)).rejects.toThrow(message);
  });

  test('sends no body, and returns the cause, when the errorBody throws after the start', async () => {
    let isBroken = false;
    const { tell, operations } = await load(
      ({ number }) => {
        if (isBroken) throw new Error('broken');
        return { code: number };
      },
      own,
      withError(OWN),
    );
    isBroken = true;
    for (const operation of [operations[0], undefined])
      expect(tell(new Refusal(40001, 'x'), 'an id', operation)).toEqual({ cause: new Error('broken') });
  });

  test('requires declared failures, but compares no bodies, when the service may have any errorBody', async () => {
    await expect(load('any')).resolves.toBeDefined();
    await expect(load('any', error('400'))).rejects.toThrow('declare 401 or default');
  });
});

test('names each status as Node does', () => {
  const statuses = [...new Set(Object.values(ErrorNumber).map(statusOf))];
  expect(PHRASES).toEqual(Object.fromEntries(statuses.map((status) => [status, STATUS_CODES[status]])));
});
