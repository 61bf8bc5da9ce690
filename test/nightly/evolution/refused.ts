import { addOperation, all, contract, contractAfter, type Edit } from './change.ts';

/** Changes that `generate` refuses. */
export const REFUSED: Readonly<Record<string, Edit>> = {
  'YAML that cannot be read': contract(['paths:\n', 'paths:\n\t/tab:\n']),
  'another version: OpenAPI 3.0': contract(['openapi: 3.1.0', 'openapi: 3.0.3']),
  'another version: OpenAPI 3.2': contract(['openapi: 3.1.0', 'openapi: 3.2.0']),
  'a misspelt keyword': contract(['      responses:\n', '      respones:\n']),
  'a `$ref` to a missing component': contract(['schemas/PlantTag', 'schemas/Tag']),
  'a `$ref` to another document': (project) => {
    project.write('tag.yaml', 'type: string\nmaxLength: 9\n');
    project.edit('openapi.yaml', "'#/components/schemas/PlantTag'", 'tag.yaml');
  },
  'a missing operationId': contract(['      operationId: createPlant\n', '']),
  'the same operationId twice': all(addOperation, contract(['operationId: getSpecimen', 'operationId: createPlant'])),
  'an example that does not fit its schema': contract(['{ id: 2, name: ', '{ id: 2, tag: ']),
  'a default that does not fit its schema': contract([
    '      maxLength: 200\n',
    '      maxLength: 200\n      default: 7\n',
  ]),
  'a pattern that is not a regular expression': contract(['x00]*$', 'x00*$']),
  'an unknown format': contract(['format: int32', 'format: int23']),
  'a form': contract([
    '          application/json:\n',
    '          multipart/form-data: { schema: { type: object } }\n          application/json:\n',
  ]),
  'two media types of a reply': contractAfter(
    "        '200':",
    '            application/json:\n',
    '            application/hal+json: { schema: { type: object } }\n            application/json:\n',
  ),
  'a keyword that OpenAPI 3.1 removed': contract(['format: int64\n', 'format: int64\n          nullable: true\n']),
  'a security scheme of passwords': contract(['scheme: bearer', 'scheme: basic']),
  'a variable of a server without a default': contract(['  - url: /\n', "  - url: 'https://{region}.example'\n"]),
  'the path of a page of the service': contract(['  /plants:\n', '  /docs:\n']),
  'an undeclared failure of the service': contract(['        default:\n', "        '500':\n"]),
  'a parameter in a cookie': contract([
    '      requestBody:\n',
    '      parameters:\n        - { name: shade, in: cookie, schema: { type: string, maxLength: 9 } }\n      requestBody:\n',
  ]),
};
