import { addOperation, all, type Change, contract, contractAfter } from './change.ts';

/** `generate` refuses these in the words that the README has, with line and column, and writes nothing. */
export const REFUSED: readonly Change[] = [
  {
    change: 'YAML that cannot be read',
    follows: 'Tabs are not allowed as indentation at line …, column 1',
    edit: contract(['paths:\n', 'paths:\n\t/tab:\n']),
  },
  {
    change: 'another version: OpenAPI 3.0',
    follows: 'must be OpenAPI 3.1: it must say `openapi: 3.1.0`',
    edit: contract(['openapi: 3.1.0', 'openapi: 3.0.3']),
  },
  {
    change: 'another version: OpenAPI 3.2',
    follows: 'must be OpenAPI 3.1: it must say `openapi: 3.1.0`',
    edit: contract(['openapi: 3.1.0', 'openapi: 3.2.0']),
  },
  {
    change: 'a misspelt keyword',
    follows: 'Property `respones` is not expected here. … Did you mean: responses ?',
    edit: contract(['      responses:\n', '      respones:\n']),
  },
  {
    change: 'a `$ref` to nothing',
    follows: "Can't resolve $ref",
    edit: contract(['schemas/PlantTag', 'schemas/Tag']),
  },
  {
    change: 'a `$ref` to another document',
    follows: 'refers to tag.yaml, which is not a place in it',
    edit: (project) => {
      project.write('tag.yaml', 'type: string\n');
      project.edit('openapi.yaml', "'#/components/schemas/PlantTag'", 'tag.yaml');
    },
  },
  {
    change: 'an operationId that is missing',
    follows: 'Operation object should contain `operationId` field.',
    edit: contract(['      operationId: createPlant\n', '']),
  },
  {
    change: 'an operationId that is there twice',
    follows: 'Every operation must have a unique `operationId`.',
    edit: all(addOperation, contract(['operationId: getSpecimen', 'operationId: createPlant'])),
  },
  {
    change: 'an operationId that no function can have',
    follows: 'the operationId create-plant must be a name that TypeScript can have',
    edit: contract(['operationId: createPlant', 'operationId: create-plant']),
  },
  {
    change: 'an example that does not fit its schema',
    follows: "Example value must conform to the schema: must have required property 'name'.",
    edit: contract(['{ id: 2, name: ', '{ id: 2, tag: ']),
  },
  {
    change: 'a component that nothing refers to any more',
    follows: 'Component: "Failure" is never used.',
    edit: contract(["        default:\n          $ref: '#/components/responses/Failure'\n", '']),
  },
  {
    change: 'a pattern that is no regular expression',
    follows: 'Invalid regular expression: … Unterminated character class',
    edit: contract(['uDFFF]*$', 'uDFFF*$']),
  },
  {
    change: 'a format that nobody knows',
    follows: 'the service does not know this format: "int23" should match a regex ^(int32 …',
    edit: contract(['format: int32', 'format: int23']),
  },
  {
    change: 'a media type that is not JSON',
    follows: 'the media type text/csv is not JSON: write application/json or application/….+json, in small letters',
    edit: contract([
      '          application/json:\n',
      '          text/csv: { schema: { type: string } }\n          application/json:\n',
    ]),
  },
  {
    change: 'two media types of a reply',
    follows: 'only one media type can be sent',
    edit: contractAfter(
      "        '200':",
      '            application/json:\n',
      '            application/hal+json: { schema: { type: object } }\n            application/json:\n',
    ),
  },
  {
    change: 'a limit of an int64 that doubles cannot have',
    follows: 'limits an int64 by multipleOf, or by a value beyond ±9007199254740991',
    edit: contract(['format: int64\n', 'format: int64\n          maximum: 9007199254740993\n']),
  },
  {
    change: 'another security scheme than `bearer`',
    follows: 'the security scheme bearerAuth must be declared, of type http, scheme bearer',
    edit: contract(['scheme: bearer', 'scheme: basic']),
  },
  {
    change: 'a parameter in a cookie',
    follows: 'parameters in cookies are not supported',
    edit: contract([
      '      requestBody:\n',
      '      parameters:\n        - { name: shade, in: cookie, schema: { type: string } }\n      requestBody:\n',
    ]),
  },
];
