import {
  addHandler,
  addOperation,
  all,
  type Change,
  contract,
  contractAfter,
  type Edit,
  CREATE_PLANT,
  handler,
  removeHandler,
  removeOperation,
  SERVICE,
} from './change.ts';
import { OPERATIONS } from './operations.ts';

const TAG = "        tag:\n          $ref: '#/components/schemas/PlantTag'\n";
const CLOSED = '      additionalProperties: false\n';
const NAMING = handler(["create('plants', body)", "create('plants', { id: body.id, name: body.name, tag: body.tag })"]);
const COLUMN: Edit = (project) => {
  project.edit('src/storage.ts', 'tag: optional(text())', 'tag: optional(text()), height: optional(int64())');
};
const HEIGHT = '        height: { type: integer, format: int64 }\n';

/** Changes for which the compiler reports each place in the code that needs an edit. */
export const NAMED: Readonly<Record<string, Change>> = {
  'a new operation': {
    edit: addOperation,
    says: ["src/index.ts: TS2741: Property 'getSpecimen' is missing in type '{ createPlant: "],
    ignored: 'the contract declares getSpecimen, which the service does not have',
    cure: addHandler,
    served: [['/specimens/9007199254740993', 200, '{"name":"9007199254740993"}']],
  },
  ...OPERATIONS,
  'an operation removed': {
    given: all(addOperation, addHandler),
    edit: removeOperation,
    says: [
      `src/getSpecimen.ts: TS2344: '"getSpecimen"' does not satisfy the constraint '"createPlant"'`,
      'src/getSpecimen.ts: …',
      "src/index.ts: TS2353: 'getSpecimen' does not exist in type 'Operations<operations, ",
    ],
    ignored: 'the contract does not declare getSpecimen, which the service has',
    cure: removeHandler,
    served: [['/specimens/7', 404, '40400']],
  },
  'another operationId': {
    edit: contract(['operationId: createPlant', 'operationId: addPlant']),
    says: [
      `src/createPlant.ts: TS2344: '"createPlant"' does not satisfy the constraint '"addPlant"'`,
      'src/createPlant.ts: …',
      "src/index.ts: TS2353: 'createPlant' does not exist in type 'Operations<operations, ",
      `src/index.ts: TS2322: Type '"createPlant"' is not assignable to type '"addPlant"'`,
    ],
    ignored: 'the contract does not declare createPlant, which the service has',
    cure: (project) => {
      for (const file of [CREATE_PLANT, SERVICE]) {
        project.write(file, project.read(file).replaceAll('createPlant', 'addPlant'));
      }
      project.write('src/addPlant.ts', project.read(CREATE_PLANT));
      project.remove(CREATE_PLANT);
    },
    served: [['{"id":1,"name":"x"}', 200, '{"name":"x"}']],
  },
  'a status withdrawn': {
    edit: (project) => {
      const declared = "        '400':\n          $ref: '#/components/responses/BadRequest'\n";
      const [component = ''] = /^ {4}BadRequest:\n.*?^(?= {4}\w)/ms.exec(project.read('openapi.yaml')) ?? [];
      contract([declared, ''], [component, ''])(project);
    },
    says: ["src/createPlant.ts: TS2322: Type '400' is not assignable to type '200 | 401 | 403 | 429'"],
    ignored: [
      ['{"id":1,"name":"x"}', 200, '{"name":"x"}'],
      ['{"id":1,"name":"y"}', 500, 'createPlant answered 400, which the contract does not declare'],
    ],
  },
  'a new field of the request, optional': {
    edit: contractAfter('    NewPlant:', 'properties:\n', `properties:\n${HEIGHT}`),
    says: ["src/createPlant.ts: TS2379: Type 'bigint' is not assignable to type 'NoSuchColumn'"],
  },
  'a new field of the request, required': {
    edit: all(
      contractAfter('    NewPlant:', 'properties:\n', `properties:\n${HEIGHT}`),
      contract(
        ['required: [id, name]', 'required: [id, name, height]'],
        ['{ id: 1,', '{ height: 1, id: 1,'],
        ['{ id: 2,', '{ height: 2, id: 2,'],
      ),
    ),
    says: [
      "src/createPlant.ts: TS2379: Type 'bigint' is not assignable to type 'NoSuchColumn'",
      'src/index.ts: TS2322: "the table lacks what createPlant requires", "height"',
    ],
  },
  'a new field of the request and its column, where the operation names what it stores': {
    given: NAMING,
    edit: all(contractAfter('    NewPlant:', 'properties:\n', `properties:\n${HEIGHT}`), COLUMN),
    says: ["src/createPlant.ts: TS2379: Property 'height' is missing in type "],
  },
  'the same in an object that says nothing of other members': {
    given: all(NAMING, contractAfter('    NewPlant:', CLOSED, '')),
    edit: all(contractAfter('    NewPlant:', 'properties:\n', `properties:\n${HEIGHT}`), COLUMN),
    says: ["src/createPlant.ts: TS2379: Property 'height' is missing in type "],
  },
  'an object of the request with `additionalProperties: true`': {
    edit: contractAfter('    NewPlant:', CLOSED, CLOSED.replace('false', 'true')),
    says: [
      "src/createPlant.ts: TS2379: 'other members'",
      'src/index.ts: TS2322: "the body of createPlant may have members that no column keeps"',
    ],
  },
  'a field renamed': {
    edit: (project) => {
      const yaml = project.read('openapi.yaml');
      project.write(
        'openapi.yaml',
        yaml.replaceAll('        tag:\n', '        label:\n').replaceAll('tag: tropical', 'label: tropical'),
      );
    },
    says: [
      "src/createPlant.ts: TS2345: Type 'string' is not assignable to type 'NoSuchColumn'",
      "src/createPlant.ts: TS2339: Property 'tag' does not exist",
      "src/createPlant.ts: TS2353: 'tag' does not exist in type",
    ],
  },
  'a field of the request removed': {
    edit: all(contractAfter('    NewPlant:', TAG, ''), contract([', tag: tropical }', ' }'])),
    says: [
      "src/createPlant.ts: TS2345: Property 'tag' is missing in type '{ id: bigint; name: string; }' but required in type ",
      "src/createPlant.ts: TS2339: Property 'tag' does not exist",
    ],
  },
  'a field of another type': {
    edit: all(
      contractAfter('    NewPlant:', "$ref: '#/components/schemas/PlantTag'", 'type: boolean'),
      contract([', tag: tropical }', ', tag: true }']),
    ),
    says: [
      "src/createPlant.ts: TS2345: Type 'boolean' is not assignable to type 'string'",
      "src/createPlant.ts: TS2322: Type 'boolean' is not assignable to type 'string'",
    ],
  },
  'a field of the request that is no longer required': {
    edit: contract(['required: [id, name]', 'required: [id]']),
    says: [
      "src/createPlant.ts: TS2345: Property 'name' is optional in type",
      "src/createPlant.ts: TS2322: Type 'undefined' is not assignable to type 'string'",
    ],
  },
  'a new field of a reply, optional': {
    edit: contractAfter('    Plant:', 'properties:\n', `properties:\n${HEIGHT}`),
    says: ["src/createPlant.ts: TS2322: Property 'height' is missing in type '{ name: string; tag: "],
    ignored: [['{"id":1,"name":"x"}', 200, '{"name":"x"}']],
    cure: handler([
      'body: { name, tag }',
      'body: { name, tag, height: tag === undefined ? undefined : 2n ** 53n + 1n }',
    ]),
    served: [
      ['{"id":1,"name":"x"}', 200, '{"name":"x"}'],
      ['{"id":2,"name":"x","tag":"y"}', 200, '{"name":"x","tag":"y","height":9007199254740993}'],
    ],
  },
  'a new field of a reply, required': {
    edit: all(
      contractAfter('    Plant:', 'properties:\n', `properties:\n${HEIGHT}`),
      contract(
        ['required: [name]', 'required: [name, height]'],
        ['value: { name: M', 'value: { height: 1, name: M'],
        ['value: { name: G', 'value: { height: 1, name: G'],
      ),
    ),
    says: ["src/createPlant.ts: TS2322: Property 'height' is missing in type '{ name: string; tag: "],
    ignored: [
      ['{"id":1,"name":"a secret"}', 500, 'the reply of createPlant breaks the contract: body.height is required'],
    ],
    cure: handler(['body: { name, tag }', 'body: { name, tag, height: 1n }']),
    served: [['{"id":1,"name":"x"}', 200, '{"name":"x","height":1}']],
  },
  'a field of a reply removed': {
    edit: all(
      contractAfter('    Plant:', TAG, ''),
      contract(['value: { name: Monstera deliciosa, tag: tropical }', 'value: { name: Monstera deliciosa }']),
    ),
    says: ["src/createPlant.ts: TS2353: 'tag' does not exist in type"],
    cure: handler(
      ['  return {\n    status: 200', '  const answer = { name, tag };\n  return {\n    status: 200'],
      ['body: { name, tag }', 'body: answer'],
    ),
    served: [['{"id":1,"name":"x","tag":"a secret"}', 200, '{"name":"x"}']],
  },
};
