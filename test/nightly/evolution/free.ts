import {
  addHandler,
  addOperation,
  all,
  type Change,
  contract,
  contractAfter,
  type Exchange,
  GET_SPECIMEN,
  handler,
} from './change.ts';

/** The headers of a request without a token. */
const STRANGER = { Authorization: '' };
const PARAMETERS = '      parameters:\n';

const NOTED =
  "{ summary: A note, responses: { '200': { description: It is taken. }, 4XX: { description: It is not. } } }";

const FORMATS = { day: 'date', at: 'date-time', key: 'uuid', mail: 'email', home: 'ipv4' };

/** Adds parameters to an operation. The handler of the operation replies with their values and names. */
function asks(parameters: readonly string[], told: string, served: readonly Exchange[]): Change {
  return {
    given: all(addOperation, addHandler, (project) => {
      project.edit(GET_SPECIMEN, '{ path }', '{ query, header }');
      const names = "Object.keys({ ...query, ...header }).join(' ')";
      project.edit(GET_SPECIMEN, 'String(path.id), tag: undefined', `${told}, tag: ${names}`);
    }),
    edit: contract([PARAMETERS, PARAMETERS + parameters.map((each) => `        - ${each}\n`).join('')]),
    served,
  };
}

/** Changes that need no code: the compiler finds no error, and the service enforces the changed contract. */
export const FREE: Readonly<Record<string, Change>> = {
  'an object that says nothing of other members': {
    edit: contractAfter('    NewPlant:', '      additionalProperties: false\n', ''),
    served: [
      ['{"id":1,"name":"x","colour":"red","toJSON":1}', 200, '{"name":"x"}'],
      ['{"id":1,"name":"x","colour":"blue"}', 200, '{"name":"x"}'],
    ],
  },
  'a limit': {
    edit: contract(['maxLength: 1000', 'maxLength: 20']),
    served: [
      ['{"id":1,"name":"12345678901234567890"}', 200, '{"name":"12345678901234567890"}'],
      ['{"id":2,"name":"123456789012345678901"}', 400, 'body.name must not have more than 20 characters'],
    ],
  },
  'a pattern, with its `x-pattern-message`': {
    edit: (project) => {
      const [tag = ''] = /^ {4}PlantTag:\n.*?x-pattern-message: .*?$/ms.exec(project.read('openapi.yaml')) ?? [];
      const lines = tag.split('\n').slice(0, -2);
      lines.push("      pattern: '^[a-z]*$'", '      x-pattern-message: must be of small letters');
      project.edit('openapi.yaml', tag, lines.join('\n'));
    },
    served: [
      ['{"id":1,"name":"x","tag":"herb"}', 200, '{"name":"x","tag":"herb"}'],
      ['{"id":2,"name":"x","tag":"Herb"}', 400, 'body.tag must be of small letters'],
    ],
  },
  'a limit of an int64, digit by digit': {
    edit: contract(['format: int64\n', 'format: int64\n          maximum: 9223372036854775400\n']),
    served: [
      ['{"id":9223372036854775400,"name":"x"}', 200, '{"name":"x"}'],
      ['{"id":9223372036854775401,"name":"x"}', 400, 'body.id must be at most 9223372036854775400'],
    ],
  },
  'an enum': {
    edit: contract(['maxLength: 200', 'enum: [tropical, herb]']),
    served: [
      ['{"id":1,"name":"x","tag":"herb"}', 200, '{"name":"x","tag":"herb"}'],
      ['{"id":2,"name":"x","tag":"tree"}', 400, 'body.tag must be equal to one of the allowed values: tropical, herb'],
    ],
  },
  'a field of the request that becomes required': {
    edit: contract(['required: [id, name]', 'required: [id, name, tag]'], ['{ id: 2,', '{ tag: tree, id: 2,']),
    served: [['{"id":1,"name":"x"}', 400, 'body.tag is required']],
  },
  'a new status': {
    given: handler(['status: 400', 'status: 409']),
    before: ["src/createPlant.ts: TS2322: Type '409' is not assignable to type '200 | 400 | 401 | 403 | 429'"],
    edit: contract([
      "        '401':\n",
      "        '409':\n          $ref: '#/components/responses/BadRequest'\n        '401':\n",
    ]),
    served: [
      ['{"id":1,"name":"x"}', 200, '{"name":"x"}'],
      ['{"id":1,"name":"y"}', 409, '{"error":40011,"message":"a different plant has this id"}'],
    ],
  },
  'a limit of a reply alone': {
    edit: contractAfter('    Plant:', "$ref: '#/components/schemas/PlantTag'", 'type: string\n          maxLength: 8'),
    served: [
      ['{"id":1,"name":"x","tag":"tropical"}', 200, '{"name":"x","tag":"tropical"}'],
      ['{"id":2,"name":"x","tag":"subtropical"}', 500, 'body.tag must not have more than 8 characters'],
    ],
  },
  'a new parameter': {
    given: all(addOperation, addHandler, (project) => {
      project.edit(GET_SPECIMEN, '{ path }', '{ path, query }');
      project.edit(
        GET_SPECIMEN,
        'String(path.id)',
        '`${typeof query.shade} ${String(query.shade)} ${String(path.id)}`',
      );
    }),
    edit: contract([
      PARAMETERS,
      `${PARAMETERS}        - { name: shade, in: query, schema: { type: integer, format: int64 } }\n`,
    ]),
    served: [
      ['/specimens/7?shade=9007199254740993', 200, '{"name":"bigint 9007199254740993 7"}'],
      ['/specimens/7?shade=x', 400, 'query.shade must be an integer'],
    ],
  },
  'a default of a field of the request': {
    edit: contractAfter('    PlantTag:', 'type: string\n', 'type: string\n      default: tree\n'),
    served: [
      ['{"id":1,"name":"x"}', 200, '{"name":"x","tag":"tree"}'],
      ['{"id":2,"name":"x","tag":"herb"}', 200, '{"name":"x","tag":"herb"}'],
    ],
  },
  'a default of a query parameter': asks(
    ['{ name: limit, in: query, schema: { type: integer, format: int64, default: 9007199254740993 } }'],
    '`${typeof query.limit} ${String(query.limit)}`',
    [
      ['/specimens/7', 200, '{"name":"bigint 9007199254740993","tag":"limit"}'],
      ['/specimens/7?limit=2', 200, '{"name":"bigint 2","tag":"limit"}'],
    ],
  ),
  'a parameter in a header': asks(
    ['{ name: X-Shade, in: header, schema: { type: integer, format: int64 } }'],
    "`${typeof header['X-Shade']} ${String(header['X-Shade'])}`",
    [
      ['/specimens/7', 200, '{"name":"bigint 9007199254740993","tag":"X-Shade"}', { 'x-shade': '9007199254740993' }],
      ['/specimens/7', 400, 'X-Shade must be an integer', { 'X-Shade': 'x' }],
    ],
  ),
  'a query parameter of style `deepObject`': asks(
    [
      '{ name: size, in: query, style: deepObject, schema: { type: object, additionalProperties: false, properties: { min: { type: integer, format: int64 }, max: { type: integer, format: int32 } } } }',
    ],
    '`${typeof query.size?.min} ${String(query.size?.min)} ${typeof query.size?.max}`',
    [
      [
        '/specimens/7?size[min]=9007199254740993&size[max]=2',
        200,
        '{"name":"bigint 9007199254740993 number","tag":"size"}',
      ],
      ['/specimens/7?size[min]=x', 400, 'query.size.min must be an integer'],
    ],
  ),
  'a format, such as `date` or `uuid`': asks(
    Object.entries(FORMATS).map(
      ([name, format]) => `{ name: ${name}, in: query, schema: { type: string, maxLength: 99, format: ${format} } }`,
    ),
    "'x'",
    [
      ['/specimens/7?day=2024-02-29&home=10.0.0.1', 200, '{"name":"x","tag":"day home"}'],
      ...Object.keys(FORMATS).map((name): Exchange => [
        `/specimens/7?${name}=2023-02-29x`,
        400,
        `query.${name} must match format`,
      ]),
    ],
  ),
  'an enum, a const, a multipleOf beyond 2^53': asks(
    ['enum: [9007199254740993, 3]', 'const: 9007199254740993', 'multipleOf: 9007199254740993'].map(
      (rule, index) => `{ name: n${index}, in: query, schema: { type: integer, format: int64, ${rule} } }`,
    ),
    "'x'",
    [
      ...[0, 1, 2].map((n): Exchange => [`/specimens/7?n${n}=9007199254740993`, 200, `{"name":"x","tag":"n${n}"}`]),
      ...[0, 1, 2].map((n): Exchange => [`/specimens/7?n${n}=9007199254740992`, 400, `query.n${n} must be`]),
    ],
  ),
  'scopes in the `security` of an operation': {
    given: all(addOperation, addHandler),
    edit: contract([
      'operationId: getSpecimen\n',
      "operationId: getSpecimen\n      security: [{ bearerAuth: ['specimens:read'] }]\n",
    ]),
    served: [
      ['/specimens/7', 200, '{"name":"7"}'],
      ['/specimens/7', 401, '40100', STRANGER],
    ],
  },
  'a webhook, a callback': {
    edit: contract(
      [
        '      responses:\n',
        `      callbacks:\n        grown:\n          '{$request.query.url}':\n            post: ${NOTED}\n      responses:\n`,
      ],
      ['\ncomponents:\n', `\nwebhooks:\n  planted:\n    post: ${NOTED}\ncomponents:\n`],
    ),
    served: [['{"id":1,"name":"x"}', 200, '{"name":"x"}']],
  },
  'another path': {
    edit: contract(['  /plants:\n', '  /greenery:\n']),
    served: [
      ['/plants', 404, '40400'],
      ['/greenery', 405, 'use POST'],
    ],
  },
  'a path of the first of `servers`': {
    edit: contract(['  - url: /\n', '  - url: /v1\n  - url: /\n']),
    served: [
      ['/plants', 404, '40400'],
      ['/v1/plants', 405, 'use POST'],
    ],
  },
  '`x-max-body-bytes` in an operation, up to 1048576': {
    edit: contract(['operationId: createPlant\n', 'operationId: createPlant\n      x-max-body-bytes: 6000\n']),
    served: [
      ['{"id":1,"name":"x"}'.padEnd(6000), 200, '{"name":"x"}'],
      ['{"id":1,"name":"x"}'.padEnd(6001), 400, 'body is larger than 6000 bytes'],
    ],
  },
  '`security: []` in an operation': {
    given: all(addOperation, addHandler),
    edit: contract(['operationId: getSpecimen\n', 'operationId: getSpecimen\n      security: []\n']),
    served: [
      ['/specimens/7', 200, '{"name":"7"}', STRANGER],
      ['{"id":1,"name":"x"}', 401, '40100', STRANGER],
    ],
  },
  'a second media type of a request, JSON too, with the same schema': {
    edit: (project) => {
      const one =
        "          application/json:\n            schema:\n              $ref: '#/components/schemas/NewPlant'\n";
      project.edit('openapi.yaml', one, one.replace('application/json', 'application/vnd.plant+json') + one);
    },
    served: [
      ['{"id":1,"name":"x"}', 200, '{"name":"x"}', { 'Content-Type': 'application/vnd.plant+json' }],
      ['{"id":1,"name":"x"}', 200, '{"name":"x"}', { 'Content-Type': 'application/json' }],
      [
        '{"id":1,"name":"x"}',
        400,
        'the media type of the body must be application/vnd.plant+json or application/json, not text/json',
        { 'Content-Type': 'text/json' },
      ],
    ],
  },
};
