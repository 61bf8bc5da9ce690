/** A small contract with everything that a contract may ask for, for tests of what holds to contracts. */
export const THINGS = `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
security: [{ bearerAuth: [] }]
paths:
  /things/newest:
    get:
      operationId: newestThing
      security: []
      responses:
        '200': { $ref: '#/components/responses/Thing' }
        '204': { description: there is none }
  /things/{thing-id}:
    parameters:
      - { name: thing-id, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
    get:
      operationId: getThing
      parameters:
        - { name: limit, in: query, schema: { type: integer, format: int64, default: 20, maximum: 100 } }
        - { name: after, in: query, schema: { type: integer, format: int64 } }
        - { name: kind, in: query, schema: { $ref: '#/components/schemas/Kind' } }
        - { name: X-Count, in: header, schema: { type: integer, format: int64 } }
      responses:
        '200': { $ref: '#/components/responses/Thing' }
    put:
      operationId: putThing
      requestBody:
        content:
          application/json: { schema: { $ref: '#/components/schemas/Tree' } }
          application/vnd.things+json: { schema: { type: array, items: { $ref: '#/components/schemas/Id' } } }
      responses:
        '200': { $ref: '#/components/responses/Thing' }
        '503':
          description: it has failed
          content: { application/json: { schema: { type: object, required: [reason], properties: { reason: { type: string } } } } }
components:
  securitySchemes: { bearerAuth: { type: http, scheme: bearer } }
  schemas:
    Id: { type: integer, format: int64 }
    Kind: { type: string, enum: [tree, herb] }
    Tree:
      type: object
      additionalProperties: false
      properties:
        id: { $ref: '#/components/schemas/Id' }
        age: { type: integer, format: int64, default: 7 }
        size: { anyOf: [{ $ref: '#/components/schemas/Id' }, { type: number }] }
        children: { type: array, items: { $ref: '#/components/schemas/Tree' } }
  responses:
    Thing:
      description: a thing
      headers:
        X-Total: { required: true, schema: { type: integer, format: int64 } }
        X-Note: { schema: { type: string } }
      content: { application/json: { schema: { $ref: '#/components/schemas/Tree' } } }
`;
