import { expect } from '@jest/globals';
import {
  addHandler,
  addOperation,
  all,
  type Change,
  contract,
  CREATE_PLANT,
  created,
  expectFailure,
  got,
  removeHandler,
  removeOperation,
} from './change.ts';
import { FIELDS } from './fields.ts';

/** The compiler says what the code has to do about these, and where. */
export const LED: readonly Change[] = [
  {
    change: 'a new operation',
    follows: 'its handler is missing in `src/operations/index.ts`; the service does not start without',
    edit: addOperation,
    says: ["src/operations/index.ts: TS1360: Property 'getSpecimen' is missing in type '{ createPlant: "],
    ignored: 'openapi.yaml has the operation getSpecimen, which src/operations/index.ts does not have',
    cure: addHandler,
    served: async (service) => {
      expect(await got(service, '/specimens/9007199254740993')).toEqual([200, '{"name":"9007199254740993"}']);
    },
  },
  {
    change: 'an operation removed',
    follows: 'its handler is one too many there; the service does not start with it',
    given: all(addOperation, addHandler),
    edit: removeOperation,
    says: [
      `src/operations/getSpecimen.ts: TS2344: '"getSpecimen"' does not satisfy the constraint '"createPlant"'`,
      'src/operations/getSpecimen.ts: …',
      "src/operations/index.ts: TS2353: 'getSpecimen' does not exist in type 'Operations<Services>'",
    ],
    ignored: 'openapi.yaml does not have the operation getSpecimen of src/operations',
    cure: removeHandler,
    served: async (service) => {
      expect(await got(service, '/specimens/7')).toEqual([404, expect.stringContaining('40400')]);
    },
  },
  {
    change: 'another operationId',
    follows: 'the handler has its old name there, and in its own file: rename all three',
    edit: contract(['operationId: createPlant', 'operationId: addPlant']),
    says: [
      `src/operations/createPlant.ts: TS2344: '"createPlant"' does not satisfy the constraint '"addPlant"'`,
      'src/operations/createPlant.ts: …',
      "src/operations/index.ts: TS2353: 'createPlant' does not exist in type 'Operations<Services>'",
    ],
    ignored: 'openapi.yaml does not have the operation createPlant of src/operations',
    cure: (project) => {
      for (const file of [CREATE_PLANT, 'src/operations/index.ts']) {
        project.write(file, project.read(file).replaceAll('createPlant', 'addPlant'));
      }
      project.write('src/operations/addPlant.ts', project.read(CREATE_PLANT));
      project.remove(CREATE_PLANT);
    },
    served: async (service) => {
      expect(await created(service, '{"id":1,"name":"x"}')).toEqual([200, '{"name":"x"}']);
    },
  },
  {
    change: 'a status withdrawn',
    follows: 'each answer with it is named; if it is served all the same, the client gets a 500 instead',
    edit: (project) => {
      const declared = "        '400':\n          $ref: '#/components/responses/BadRequest'\n";
      const [component = ''] = /^ {4}BadRequest:\n.*?^(?= {4}\w)/ms.exec(project.read('openapi.yaml')) ?? [];
      contract([declared, ''], [component, ''])(project);
    },
    says: ["src/operations/createPlant.ts: TS2322: Type '400' is not assignable to type '200 | 401 | 403 | 429'"],
    ignored: async (service) => {
      expect(await created(service, '{"id":1,"name":"x"}')).toEqual([200, '{"name":"x"}']);
      await expectFailure(
        service,
        '{"id":1,"name":"y"}',
        'createPlant answered 400, which the contract does not declare',
      );
    },
  },
  ...FIELDS,
];
