import type { Project } from '../../../packages/trellis/test/support/project.ts';

/**
 * A request and its expected reply. `sent` is the body of a create, a path to get, or a method, a path and a body. `told`
 * is the text of a 200, a part of the text of another reply, or a part of the log line of a 500. `headers` add to the
 * usual headers of the request, or replace them.
 */
export type Exchange = readonly [
  sent: string,
  status: number,
  told: string,
  headers?: Readonly<Record<string, string>>,
];

export type Edit = (project: Project) => void;

/** A change of the contract, with the errors, edits and replies that must follow from it. */
export interface Change {
  /** An edit of the project before the change. */
  readonly given?: Edit;
  /** The errors of the compiler before the change, in order, if `given` needs the changed contract. */
  readonly before?: readonly string[];
  readonly edit: Edit;
  /** The errors of the compiler after the change, in order. */
  readonly says?: readonly string[];
  /** The result of a start despite the errors in `says`: the error text if the start fails, otherwise the replies. */
  readonly ignored?: string | readonly Exchange[];
  /** The edit that removes the errors in `says`. */
  readonly cure?: Edit;
  /** The replies of the service after all edits. */
  readonly served?: readonly Exchange[];
}

/** Makes a function that edits openapi.yaml. */
export function contract(...edits: readonly (readonly [from: string, to: string])[]): Edit {
  return (project) => {
    for (const [from, to] of edits) project.edit('openapi.yaml', from, to);
  };
}

/** Makes a function that edits openapi.yaml: the first `from` after a line, such as the line of a schema's name. */
export function contractAfter(line: string, from: string, to: string): Edit {
  return (project) => {
    const [before = '', after] = project.read('openapi.yaml').split(`\n${line}\n`);
    const changed = after?.replace(from, () => to);
    if (changed === undefined || changed === after) throw new Error(`openapi.yaml has no ${from} after ${line}`);
    project.write('openapi.yaml', [before, changed].join(`\n${line}\n`));
  };
}

/** Makes a function that edits createPlant.ts. */
export function handler(...edits: readonly (readonly [from: string, to: string])[]): Edit {
  return (project) => {
    for (const [from, to] of edits) project.edit(CREATE_PLANT, from, to);
  };
}

export function all(...steps: readonly Edit[]): Edit {
  return (project) => {
    for (const step of steps) step(project);
  };
}

const OPERATION = `  /specimens/{id}:
    get:
      operationId: getSpecimen
      tags: [plants]
      summary: Get a specimen
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }
      responses:
        '200':
          description: The specimen.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Plant' }
        '401': { $ref: '#/components/responses/Unauthorized' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        default: { $ref: '#/components/responses/Failure' }
`;
const HANDLER = `import type { Reply, Request } from './types.ts';

export async function getSpecimen({ path }: Request<'getSpecimen'>): Promise<Reply<'getSpecimen'>> {
  return { status: 200, body: { name: String(path.id), tag: undefined } };
}
`;
export const CREATE_PLANT = 'src/createPlant.ts';
export const GET_SPECIMEN = 'src/getSpecimen.ts';
export const SERVICE = 'src/index.ts';

/** Imports a handler, and adds it to the operations of the service. */
export function addEntry(project: Project, id: string): void {
  project.edit(SERVICE, 'import', `import { ${id} } from './${id}.ts';\nimport`);
  project.edit(SERVICE, '  operations: {', `  operations: { ${id},`);
}

/** Undoes addEntry(), or the same edits by a developer. */
export function removeEntry(project: Project, id: string): void {
  project.edit(SERVICE, `import { ${id} } from './${id}.ts';\n`, '');
  const [operations = ''] = /^ {2}operations: \{.*?\}/ms.exec(project.read(SERVICE)) ?? [];
  project.edit(SERVICE, operations, operations.replace(new RegExp(`\\b${id}\\b,? *`), ''));
}

export const addOperation = contract(['\ncomponents:\n', `\n${OPERATION}components:\n`]);
export const removeOperation = contract([OPERATION, '']);

export function addHandler(project: Project): void {
  project.write(GET_SPECIMEN, HANDLER);
  addEntry(project, 'getSpecimen');
}

export function removeHandler(project: Project): void {
  project.remove(GET_SPECIMEN);
  removeEntry(project, 'getSpecimen');
}
