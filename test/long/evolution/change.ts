import { expect } from '@jest/globals';
import type { Project } from '../../support/project.ts';
import { createPlant, type Service } from '../../support/service.ts';

/** A kind of change of the contract, and what must follow from it. */
export interface Change {
  /** The kind of change and what follows, as the README's table has them. */
  readonly change: string;
  readonly follows: string;
  /** What the project has before. */
  readonly given?: (project: Project) => void;
  /** What the compiler says before, of code that only the changed contract lets compile: an error each, in order. */
  readonly before?: readonly string[];
  readonly edit: (project: Project) => void;
  /** What is said of the change: by the compiler, an error each, in order; or by `generate`. */
  readonly says?: readonly string[];
  /** What becomes of a service that is started all the same: the text with which it ends, or how it answers. */
  readonly ignored?: string | ((service: Service) => Promise<void>);
  /** What the compiler asks for. */
  readonly cure?: (project: Project) => void;
  /** How the service answers in the end. */
  readonly served?: (service: Service) => Promise<void>;
}

/** The status and the text that come back from a create. */
export async function created(service: Service, body: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await createPlant(service, body, headers);
  return [response.status, await response.text()];
}

export async function got({ url, token }: Service, path: string) {
  const response = await fetch(url + path, token === '' ? {} : { headers: { Authorization: `Bearer ${token}` } });
  return [response.status, await response.text()];
}

/** The service fails to answer what the contract declares: it tells the log why, and the client nothing. */
export async function expectFailure(service: Service, body: string, reason: string): Promise<void> {
  const [status, text] = await created(service, body);
  expect(status).toBe(500);
  expect(text).toMatch(
    /^\{"error":50000,"message":"the service failed; its log has the cause under request id [\w-]+"\}$/,
  );
  const lines = () => service.log().filter((line) => line['status'] === 500);
  while (lines().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(JSON.stringify(lines())).toContain(reason);
}

/** What is told of a request that does not fit the contract. */
export const refused = (message: string) => [400, JSON.stringify({ error: 40010, message })];

/** Changes the contract. */
export function contract(...edits: readonly (readonly [from: string, to: string])[]): (project: Project) => void {
  return (project) => {
    for (const [from, to] of edits) project.edit('openapi.yaml', from, to);
  };
}

/** Changes the first place of it after a line, such as that of a schema. */
export function contractAfter(line: string, from: string, to: string): (project: Project) => void {
  return (project) => {
    const [before = '', after] = project.read('openapi.yaml').split(`\n${line}\n`);
    const changed = after?.replace(from, () => to);
    if (changed === undefined || changed === after) throw new Error(`openapi.yaml has no ${from} after ${line}`);
    project.write('openapi.yaml', [before, changed].join(`\n${line}\n`));
  };
}

export function all(...steps: readonly ((project: Project) => void)[]): (project: Project) => void {
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
        default: { $ref: '#/components/responses/Failure' }
`;
const HANDLER = `import type { Reply, Request } from '../contract/types.ts';

export async function getSpecimen({ path }: Request<'getSpecimen'>): Promise<Reply<'getSpecimen'>> {
  return { status: 200, body: { name: String(path.id) } };
}
`;
/** The files of operations. */
export const CREATE_PLANT = 'src/operations/createPlant.ts';
export const GET_SPECIMEN = 'src/operations/getSpecimen.ts';
const TABLE = 'src/operations/index.ts';

/** Another operation beside createPlant. */
export const addOperation = contract(['\ncomponents:\n', `\n${OPERATION}components:\n`]);
export const removeOperation = contract([OPERATION, '']);

export function addHandler(project: Project): void {
  project.write(GET_SPECIMEN, HANDLER);
  project.edit(TABLE, '= { createPlant', '= { createPlant, getSpecimen');
  project.edit(TABLE, 'import', "import { getSpecimen } from './getSpecimen.ts';\nimport");
}

export function removeHandler(project: Project): void {
  project.remove(GET_SPECIMEN);
  project.edit(TABLE, ', getSpecimen', '');
  project.edit(TABLE, "import { getSpecimen } from './getSpecimen.ts';\n", '');
}
