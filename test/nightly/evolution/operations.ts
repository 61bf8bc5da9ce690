import { addEntry, all, type Change, contract, type Edit, type Exchange, SERVICE } from './change.ts';

/** A new operation. `yaml` is its part of the contract, without the lines of all operations; `handler` is its code. */
interface Added {
  readonly name: string;
  readonly at: `${'get' | 'post' | 'patch' | 'delete'} ${string}`;
  readonly yaml: string;
  readonly handler: string;
  readonly served: readonly Exchange[];
  /** More edits of the contract for the operation. */
  readonly declared?: Edit;
}

const none: Edit = () => undefined;

function added({ name, at, yaml, handler, served, declared = none }: Added): Change {
  const [method = '', path = ''] = at.split(' ');
  const operation = `    ${method}:
      operationId: ${name}
      tags: [plants]
      summary: Of specimens
${yaml.replaceAll(/^/gm, '      ').trimEnd()}
        '401': { $ref: '#/components/responses/Unauthorized' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        default: { $ref: '#/components/responses/Failure' }
`;
  const code = `import type { Reply, Request, Tools } from './types.ts';

export async function ${name}(request: Request<'${name}'>, { create }: Tools): Promise<Reply<'${name}'>> {
  void [request, create];
  ${handler}
}
`;
  return {
    edit: all(contract(['\ncomponents:\n', `\n  ${path}:\n${operation}components:\n`]), declared),
    says: [`${SERVICE}: TS2741: Property '${name}' is missing in type '{ createPlant: `],
    cure: (project) => {
      project.write(`src/${name}.ts`, code);
      addEntry(project, name);
    },
    served,
  };
}

const ID = '- { name: id, in: path, required: true, schema: { type: integer, format: int64 } }';
const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const PLANT = "{ $ref: '#/components/schemas/Plant' }";
const NEW_PLANT = "{ $ref: '#/components/schemas/NewPlant' }";

/** New operations. The compiler reports that each of them has no handler. */
export const OPERATIONS: Readonly<Record<string, Change>> = {
  'a paged list': added({
    name: 'listSpecimens',
    at: 'get /specimens',
    yaml: `parameters:
  - { name: after, in: query, schema: { type: integer, format: int64 } }
  - { name: limit, in: query, schema: { type: integer, format: int32, minimum: 1, maximum: 3, default: 2 } }
responses:
  '200':
    description: Specimens.
    ${json(`{ type: array, maxItems: 3, items: ${PLANT} }`)}`,
    handler: `const { after = 0n, limit } = request.query;
  const ids = Array.from({ length: limit }, (_each, index) => after + BigInt(index) + 1n);
  return { status: 200, body: ids.map((id) => ({ name: String(id), tag: undefined })) };`,
    served: [
      ['/specimens?after=9007199254740992', 200, '[{"name":"9007199254740993"},{"name":"9007199254740994"}]'],
      ['/specimens?limit=1', 200, '[{"name":"1"}]'],
      ['/specimens?limit=4', 400, 'query.limit must be at most 3'],
    ],
  }),
  'a delete, answered with 204': added({
    name: 'deleteSpecimen',
    at: 'delete /specimens/{id}',
    yaml: `parameters:\n  ${ID}\nresponses:\n  '204': { description: It is gone. }`,
    handler: 'return { status: 204 };',
    served: [
      ['DELETE /specimens/7', 204, ''],
      ['/specimens/7', 405, 'use DELETE'],
    ],
  }),
  'a merge patch': added({
    name: 'updateSpecimen',
    at: 'patch /specimens/{id}',
    yaml: `parameters:
  ${ID}
requestBody:
  required: true
  content:
    application/merge-patch+json:
      schema:
        type: object
        additionalProperties: false
        minProperties: 1
        properties:
          name: { $ref: '#/components/schemas/PlantName' }
          tag: { type: [string, 'null'], maxLength: 200 }
responses:
  '200':
    description: The specimen.
    ${json(PLANT)}`,
    handler: `const { name = 'x', tag } = request.body;
  return { status: 200, body: { name, tag: tag === null ? undefined : (tag ?? 'kept') } };`,
    served: [
      ['PATCH /specimens/7 {"tag":null}', 200, '{"name":"x"}', { 'Content-Type': 'application/merge-patch+json' }],
      [
        'PATCH /specimens/7 {"name":"y"}',
        200,
        '{"name":"y","tag":"kept"}',
        { 'Content-Type': 'application/merge-patch+json' },
      ],
      [
        'PATCH /specimens/7 {"tag":7}',
        400,
        'body.tag must be a string or null',
        { 'Content-Type': 'application/merge-patch+json' },
      ],
    ],
  }),
  'a batch': added({
    name: 'createSpecimens',
    at: 'post /specimens',
    yaml: `requestBody:
  required: true
  ${json(`{ type: array, minItems: 1, maxItems: 8, items: ${NEW_PLANT} }`)}
responses:
  '200':
    description: How each went.
    ${json('{ type: array, maxItems: 8, items: { type: string, maxLength: 9 } }')}`,
    handler: "return { status: 200, body: await Promise.all(request.body.map((plant) => create('plants', plant))) };",
    served: [
      ['POST /specimens [{"id":1,"name":"x"},{"id":2,"name":"y"}]', 200, '["created","created"]'],
      ['POST /specimens [{"id":1,"name":"x"},{"id":2,"name":"z"}]', 200, '["replayed","conflict"]'],
      ['POST /specimens [{"id":1,"name":"x"},{"id":2}]', 400, 'body.1.name is required'],
    ],
  }),
  'fields that are `readOnly` and `writeOnly`': added({
    name: 'addSpecimen',
    at: 'post /specimens',
    yaml: `requestBody:
  required: true
  ${json("{ $ref: '#/components/schemas/Specimen' }")}
responses:
  '200':
    description: The specimen.
    ${json("{ $ref: '#/components/schemas/Specimen' }")}`,
    declared: contract([
      '  schemas:\n',
      `  schemas:
    Specimen:
      type: object
      required: [id, name, secret]
      additionalProperties: false
      properties:
        id: { type: integer, format: int64, readOnly: true }
        name: { $ref: '#/components/schemas/PlantName' }
        secret: { type: string, maxLength: 9, writeOnly: true }
`,
    ]),
    handler: 'return { status: 200, body: { id: 9007199254740993n, name: request.body.name + request.body.secret } };',
    served: [
      ['POST /specimens {"name":"x","secret":"y"}', 200, '{"id":9007199254740993,"name":"xy"}'],
      ['POST /specimens {"id":1,"name":"x","secret":"y"}', 400, 'body.id is not allowed'],
    ],
  }),
  'a discriminator': added({
    name: 'measureSpecimen',
    at: 'post /specimens',
    yaml: `requestBody:
  required: true
  content:
    application/json:
      schema:
        oneOf: [{ $ref: '#/components/schemas/Tree' }, { $ref: '#/components/schemas/Herb' }]
        discriminator:
          propertyName: kind
          mapping: { tree: '#/components/schemas/Tree', herb: '#/components/schemas/Herb' }
responses:
  '200':
    description: What it is.
    ${json(PLANT)}`,
    declared: contract([
      '  schemas:\n',
      `  schemas:
    Tree:
      type: object
      required: [kind, height]
      additionalProperties: false
      properties: { kind: { const: tree }, height: { type: integer, format: int64 } }
    Herb:
      type: object
      required: [kind, scent]
      additionalProperties: false
      properties: { kind: { const: herb }, scent: { $ref: '#/components/schemas/PlantName' } }
`,
    ]),
    handler: `const { body } = request;
  return { status: 200, body: { name: body.kind === 'tree' ? String(body.height) : body.scent, tag: undefined } };`,
    served: [
      ['POST /specimens {"kind":"tree","height":9007199254740993}', 200, '{"name":"9007199254740993"}'],
      ['POST /specimens {"kind":"herb","height":1}', 400, 'body.scent is required'],
    ],
  }),
  'a failure in `application/problem+json`': added({
    name: 'findSpecimen',
    at: 'get /specimens/{id}',
    yaml: `parameters:
  ${ID}
responses:
  '204': { description: It is there. }
  '404':
    description: It is not.
    content:
      application/problem+json:
        schema:
          type: object
          required: [title, status]
          additionalProperties: false
          properties: { title: { type: string, maxLength: 99 }, status: { type: integer, format: int32 } }`,
    handler: 'return { status: 404, body: { title: `no ${String(request.path.id)}`, status: 404 } };',
    served: [['/specimens/7', 404, '{"title":"no 7","status":404}']],
  }),
  'an error number of its own': added({
    name: 'findSpecimen',
    at: 'get /specimens/{id}',
    yaml: `parameters:
  ${ID}
responses:
  '204': { description: It is there. }
  '404':
    description: It is not.
    ${json("{ $ref: '#/components/schemas/Error' }")}`,
    handler: "return { status: 404, body: { error: 40499, message: 'there is none' } };",
    declared: contract(["            '40500'", "            '40499': There is no such specimen\n            '40500'"]),
    served: [['/specimens/7', 404, '{"error":40499,"message":"there is none"}']],
  }),
};
