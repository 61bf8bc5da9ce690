/** A contract that has `Bed` in a request and in a reply, so that one edit of it changes both. */
export const BEDS = `
openapi: 3.1.0
info: { title: Beds, version: 1.0.0 }
servers: [{ url: / }]
security: [{ token: [] }]
paths:
  /beds:
    parameters:
      - { name: X-Trace, in: header, schema: { type: string } }
    post:
      operationId: createBed
      parameters:
        - { name: dry, in: query, schema: { type: boolean } } # dry
      requestBody: # body
        required: true
        content:
          application/json: { schema: { $ref: '#/components/schemas/Bed' } } # sent
      responses:
        '200':
          description: the bed
          headers: # headers
            ETag: { required: true, schema: { type: string } }
          content:
            application/json: { schema: { $ref: '#/components/schemas/Bed' } } # received
        '404': { $ref: '#/components/responses/Failure' }
        default: { $ref: '#/components/responses/Failure' }
  /beds/tidy:
    post: { operationId: tidy, security: [], responses: { '204': { description: done }, default: { $ref: '#/components/responses/Failure' } } }
components:
  securitySchemes:
    token: { type: http, scheme: bearer, description: a token }
    other: { type: http, scheme: bearer, bearerFormat: JWT }
  responses:
    Failure:
      description: it has failed
      content: { application/json: { schema: { type: object, properties: { error: {}, message: { type: string } } } } }
  schemas:
    Bed:
      type: object
      additionalProperties: false
      required: [name]
      properties: # properties
        name: { type: string, minLength: 1, maxLength: 9, pattern: '^[a-z]*$' } # name
        kind: { type: string, enum: [herb, tree] }
        size: { type: integer, format: int32, minimum: 1, multipleOf: 2 }
        rank: { type: string, default: first }
        tags: { type: array, minItems: 0, maxItems: 3, uniqueItems: true, items: { type: string } }
        open: { type: object, dependentRequired: { title: [in] }, properties: { in: { type: boolean } } } # open
        texts: { type: object, additionalProperties: { type: string } }
        some: { anyOf: [{ type: 'null' }, { type: string, maxLength: 5 }] }
        every: { allOf: [{ maxLength: 5 }, { minLength: 2 }] }
        one: { oneOf: [{ type: 'null' }, { type: string }] }
        patterned: { type: object, patternProperties: { ^x: { type: string } }, additionalProperties: false } # patterned
        sealed: { type: object, properties: { a: {} }, unevaluatedProperties: false }
        either: { oneOf: [{ format: int32, type: integer }, { type: boolean }] }
        referred: { $ref: '#/components/schemas/Short' }
        code: { x-error-numbers: { '1': dry, '2': wet } }
        seeds: { type: integer, format: int64, maximum: 9223372036854775400, enum: [9007199254740992] } # seeds
        beds: { type: array, items: { $ref: '#/components/schemas/Bed' } }
    Short: { type: string, maxLength: 3 }
    Made: { type: string, readOnly: true }
`;
