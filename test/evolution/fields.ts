import { expect } from '@jest/globals';
import { all, type Change, contract, contractAfter, CREATE_PLANT, created, expectFailure } from './change.ts';

const TAG = "        tag:\n          $ref: '#/components/schemas/PlantTag'\n";
const HEIGHT = '        height: { type: integer, format: int64 }\n';

/** The compiler says what the code has to do about these changes of fields, and where. */
export const FIELDS: readonly Change[] = [
  {
    change: 'a new field of the request, optional',
    follows: 'the store would drop it: it is not in `StoredPlant`, see [A new field](#a-new-field)',
    edit: contractAfter('    NewPlant:', 'properties:\n', `properties:\n${HEIGHT}`),
    says: ["src/operations/createPlant.ts: TS2375: 'bigint' is not assignable to type '\"not in StoredPlant\"'"],
    cure: (project) => {
      project.edit('src/storage/store.ts', '  readonly tag', '  readonly height?: bigint;\n  readonly tag');
      project.edit('src/storage/columns.ts', "  tag: 'text',", "  tag: 'text',\n  height: 'bigint',");
      const step = 'alter table plants add column height';
      project.edit('src/storage/sqlite/migrations.ts', '\n];\n', `\n  '${step} integer',\n];\n`);
      project.edit('src/storage/postgres/migrations.ts', '\n];\n', `\n  '${step} bigint',\n];\n`);
    },
    served: async (service) => {
      const create = (height: string) => created(service, `{"id":1,"name":"x","height":${height}}`);
      expect(await create('9007199254740993')).toEqual([200, '{"name":"x"}']);
      expect(await create('9007199254740993')).toEqual([200, '{"name":"x"}']);
      expect(await create('9007199254740992')).toEqual([400, expect.stringContaining('40011')]);
    },
  },
  {
    change: 'a new field of the request, required',
    follows: 'the same',
    edit: all(
      contractAfter('    NewPlant:', 'properties:\n', `properties:\n${HEIGHT}`),
      contract(
        ['required: [id, name]', 'required: [id, name, height]'],
        ['{ id: 1,', '{ height: 1, id: 1,'],
        ['{ id: 2,', '{ height: 2, id: 2,'],
      ),
    ),
    says: [`src/operations/createPlant.ts: TS2375: 'bigint' is not assignable to type '"not in StoredPlant"'`],
  },
  {
    change: 'a field renamed',
    follows: 'each place that has the old name is named; the new one is not in `StoredPlant`',
    edit: (project) => {
      const yaml = project.read('openapi.yaml');
      project.write(
        'openapi.yaml',
        yaml.replaceAll('        tag:\n', '        label:\n').replaceAll('tag: tropical', 'label: tropical'),
      );
    },
    says: [
      `src/operations/createPlant.ts: TS2375: 'string' is not assignable to type '"not in StoredPlant"'`,
      "src/operations/createPlant.ts: TS2339: Property 'tag' does not exist",
      "src/operations/createPlant.ts: TS2322: 'tag' does not exist in type",
    ],
  },
  {
    change: 'a field of the request removed',
    follows: 'each place that reads it is named',
    edit: all(contractAfter('    NewPlant:', TAG, ''), contract([', tag: tropical }', ' }'])),
    says: ["src/operations/createPlant.ts: TS2339: Property 'tag' does not exist"],
  },
  {
    change: 'a field of another type',
    follows: 'each place that relies on the type it had is named',
    edit: all(
      contractAfter('    NewPlant:', "$ref: '#/components/schemas/PlantTag'", 'type: boolean'),
      contract([', tag: tropical }', ', tag: true }']),
    ),
    says: [
      "src/operations/createPlant.ts: TS2375: Type 'boolean' is not assignable to type 'string'",
      "src/operations/createPlant.ts: TS2322: Type 'boolean' is not assignable to type 'string'",
    ],
  },
  {
    change: 'a field of the request that is no longer required',
    follows: 'each place that relies on it is named',
    edit: contract(['required: [id, name]', 'required: [id]']),
    says: [
      "src/operations/createPlant.ts: TS2375: Property 'name' is optional in type",
      "src/operations/createPlant.ts: TS2322: Type 'undefined' is not assignable to type 'string'",
    ],
  },
  {
    change: 'a new field of a reply, required',
    follows: 'each answer that lacks it is named; if it is served all the same, the client gets a 500 instead',
    edit: all(
      contractAfter('    Plant:', 'properties:\n', `properties:\n${HEIGHT}`),
      contract(
        ['required: [name]', 'required: [name, height]'],
        ['value: { name: M', 'value: { height: 1, name: M'],
        ['value: { name: G', 'value: { height: 1, name: G'],
      ),
    ),
    says: ["src/operations/createPlant.ts: TS2322: Property 'height' is missing in type '{ name: string; }'"],
    ignored: async (service) => {
      await expectFailure(
        service,
        '{"id":1,"name":"a secret"}',
        'the reply of createPlant breaks the contract: response.height is required',
      );
    },
    cure: (project) => {
      project.edit(CREATE_PLANT, '? { name } : { name, tag }', '? { name, height: 1n } : { name, tag, height: 1n }');
    },
    served: async (service) => {
      expect(await created(service, '{"id":1,"name":"x"}')).toEqual([200, '{"name":"x","height":1}']);
    },
  },
  {
    change: 'a field of a reply removed',
    follows: 'each answer with it is named; what slips through in a variable is not sent: the client gets a 500',
    edit: all(
      contractAfter('    Plant:', TAG, ''),
      contract(['value: { name: Monstera deliciosa, tag: tropical }', 'value: { name: Monstera deliciosa }']),
    ),
    says: ["src/operations/createPlant.ts: TS2322: 'tag' does not exist in type '{ name: string; }"],
    cure: (project) => {
      project.edit(
        CREATE_PLANT,
        '  return {\n    status: 200',
        '  const answer = { name, tag };\n  return {\n    status: 200',
      );
      project.edit(CREATE_PLANT, 'body: tag === undefined ? { name } : { name, tag }', 'body: answer');
    },
    served: async (service) => {
      await expectFailure(
        service,
        '{"id":1,"name":"x","tag":"a secret"}',
        'the reply of createPlant breaks the contract: response.tag is not allowed',
      );
    },
  },
];
