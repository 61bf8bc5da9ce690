import { addOperation, all, contract, contractAfter, type Edit } from './change.ts';

/** Changes that `generate` refuses. */
export const REFUSED: Readonly<Record<string, Edit>> = {
  'YAML that cannot be read': contract(['paths:\n', 'paths:\n\t/tab:\n']),
  'another version: OpenAPI 3.0': contract(['openapi: 3.1.0', 'openapi: 3.0.3']),
  'another version: OpenAPI 3.2': contract(['openapi: 3.1.0', 'openapi: 3.2.0']),
  'a misspelt keyword': contract(['      responses:\n', '      respones:\n']),
  'a `$ref` to nothing': contract(['schemas/PlantTag', 'schemas/Tag']),
  'a `$ref` to another document': (project) => {
    project.write('tag.yaml', 'type: string\n');
    project.edit('openapi.yaml', "'#/components/schemas/PlantTag'", 'tag.yaml');
  },
  'an operationId that is missing': contract(['      operationId: createPlant\n', '']),
  'an operationId that is there twice': all(
    addOperation,
    contract(['operationId: getSpecimen', 'operationId: createPlant']),
  ),
  'an operationId that no function can have': contract(['operationId: createPlant', 'operationId: create-plant']),
  'an example that does not fit its schema': contract(['{ id: 2, name: ', '{ id: 2, tag: ']),
  'a default that does not fit its schema': contract([
    '      maxLength: 200\n',
    '      maxLength: 200\n      default: 7\n',
  ]),
  'a keyword that no value breaks': contract([
    '      maxLength: 200\n',
    '      maxLength: 200\n      anyOf: [{}, { const: tropical }]\n',
  ]),
  'a component that nothing refers to any more': contract([
    "        default:\n          $ref: '#/components/responses/Failure'\n",
    '',
  ]),
  'a pattern that is no regular expression': contract(['x00]*$', 'x00*$']),
  'an unknown format': contract(['format: int32', 'format: int23']),
  'a media type that is not JSON': contract([
    '          application/json:\n',
    '          text/csv: { schema: { type: string } }\n          application/json:\n',
  ]),
  'two media types of a reply': contractAfter(
    "        '200':",
    '            application/json:\n',
    '            application/hal+json: { schema: { type: object } }\n            application/json:\n',
  ),
  'what OpenAPI 3.1 no longer has': contract(['format: int64\n', 'format: int64\n          nullable: true\n']),
  'another security scheme than `bearer`': contract(['scheme: bearer', 'scheme: basic']),
  'servers with several paths': contract(['  - url: /\n', '  - url: https://plants.example/v1\n  - url: /\n']),
  'a path that a page of the service has': contract(['  /plants:\n', '  /docs:\n']),
  'a failure of the service that is not declared': contract(['        default:\n', "        '500':\n"]),
  'a body that may be larger than its limit': contract(['maxLength: 1000', 'maxLength: 100000']),
  'a parameter in a cookie': contract([
    '      requestBody:\n',
    '      parameters:\n        - { name: shade, in: cookie, schema: { type: string } }\n      requestBody:\n',
  ]),
};
