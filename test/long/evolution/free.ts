import {
  addHandler,
  addOperation,
  all,
  type Change,
  contract,
  contractAfter,
  GET_SPECIMEN,
  handler,
} from './change.ts';

/** A client without a token. */
const STRANGER = { Authorization: '' };
const PARAMETERS = '      parameters:\n';

const NOTED =
  "{ summary: A note, responses: { '200': { description: It is taken. }, 4XX: { description: It is not. } } }";

/** No code has to follow from these: the compiler says nothing, and the service does what the contract says now. */
export const FREE: Readonly<Record<string, Change>> = {
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
    before: [
      "src/operations/createPlant.ts: TS2322: Type '409' is not assignable to type '200 | 400 | 401 | 403 | 429'",
    ],
    edit: contract([
      "        '401':\n",
      "        '409':\n          $ref: '#/components/responses/BadRequest'\n        '401':\n",
    ]),
    served: [
      ['{"id":1,"name":"x"}', 200, '{"name":"x"}'],
      ['{"id":1,"name":"y"}', 409, '{"error":40011,"message":"a different plant with this id exists"}'],
    ],
  },
  'a new field of a reply, optional': {
    given: handler(['? { name }', '? { name, height: 9007199254740993n }']),
    before: ["src/operations/createPlant.ts: TS2322: 'height' does not exist in type"],
    edit: contractAfter(
      '    Plant:',
      'properties:\n',
      'properties:\n        height: { type: integer, format: int64 }\n',
    ),
    served: [['{"id":1,"name":"x"}', 200, '{"name":"x","height":9007199254740993}']],
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
      ['/greenery', 405, 'allowed: POST'],
    ],
  },
  'a path in `servers`, one for all of them': {
    edit: contract(['  - url: /\n', '  - url: /v1\n']),
    served: [
      ['/plants', 404, '40400'],
      ['/v1/plants', 405, 'allowed: POST'],
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
