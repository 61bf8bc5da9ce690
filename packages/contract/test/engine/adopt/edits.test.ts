import { expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { adopted, at, type Data, documentWith } from '../../support/adopted.ts';

const [BOOK, POST] = [
  ['components', 'schemas', 'Book'],
  ['paths', '/books', 'post'],
];
const TITLE = [...BOOK, 'properties', 'title'];
const Q = { name: 'q', in: 'query', schema: { type: 'string' } };
const OLD = 'OpenAPI 3.0 became 3.1';
const OWN_ID = 'an operation has an operationId of its own, by its method and path';

test('changes nothing in a 3.1 document that the service supports as it is', () => {
  const text = documentWith(['info', 'title'], 'Books', '3.1.0');
  expect(adopted(text)).toMatchObject({ edits: [], open: [], refusals: [], text });
});

test('changes only the version of a 3.0 document whose other parts mean the same in 3.1', () => {
  const text = documentWith(['info', 'title'], 'Books');
  const made = adopted(text);
  expect(made).toMatchObject({ edits: [OLD], open: [], refusals: [], text: text.replace('3.0.3', '3.1.0') });
});

test.each<[what: string, path: readonly string[], before: unknown, after: unknown]>([
  [
    'nullable became a list of types',
    TITLE,
    { type: 'string', nullable: true, maxLength: 3 },
    { type: ['string', 'null'], maxLength: 3 },
  ],
  ['null became "null" in a list of types', TITLE, { type: ['string', null] }, { type: ['string', 'null'] }],
  ['nullable: false was removed, which is the default', TITLE, { type: 'string', nullable: false }, { type: 'string' }],
  [
    'nullable was removed where no single type stands beside it: it allows no null there',
    TITLE,
    { nullable: true, allOf: [{ enum: ['a'] }] },
    { allOf: [{ enum: ['a'] }] },
  ],
  [
    'exclusiveMinimum became a number',
    TITLE,
    { type: 'integer', minimum: 3, exclusiveMinimum: true },
    { type: 'integer', exclusiveMinimum: 3 },
  ],
  [
    'exclusiveMaximum became a number',
    TITLE,
    { type: 'integer', maximum: 3, exclusiveMaximum: false },
    { type: 'integer', maximum: 3 },
  ],
  ['example became examples', TITLE, { example: 'Emma', type: 'string' }, { examples: ['Emma'], type: 'string' }],
  [
    'a map of examples became a list',
    TITLE,
    { type: 'string', examples: { one: 'Emma', other: { value: 'Persuasion' } } },
    { type: 'string', examples: ['Emma', 'Persuasion'] },
  ],
  [
    'fields that OpenAPI 3.0 ignores beside $ref were removed',
    TITLE,
    { $ref: '#/components/schemas/Error', description: 'Why', nullable: true, maxProperties: 0 },
    { $ref: '#/components/schemas/Error', description: 'Why' },
  ],
  [
    'a pattern lost escapes that have no effect',
    TITLE,
    { type: 'string', pattern: String.raw`^[\w\-\@]+\_\:\/\.$` },
    { type: 'string', pattern: String.raw`^[\w\-@]+_:\/\.$` },
  ],
  [
    'a schema that has members says that it is an object',
    BOOK,
    { properties: { title: { type: 'string' } } },
    { properties: { title: { type: 'string' } }, type: 'object' },
  ],
  [
    'a schema that has members says that it is an object',
    [...POST, 'parameters'],
    [{ name: 'page', in: 'query', schema: { properties: { size: { type: 'integer' } } } }],
    [{ name: 'page', in: 'query', schema: { properties: { size: { type: 'integer' } }, type: 'object' } }],
  ],
  [
    'a scope with spaces became several',
    ['security'],
    [{ token: ['read books', 'write', 'write '] }],
    [{ token: ['read', 'books', 'write'] }],
  ],
  [
    'a default of a value that is no member and no parameter was removed: it has no effect',
    BOOK,
    { type: 'object', default: {}, properties: { title: { type: 'string', default: 'Emma' } } },
    { type: 'object', properties: { title: { type: 'string', default: 'Emma' } } },
  ],
  [
    'fields that OpenAPI ignores beside $ref were removed',
    [...POST, 'responses', 'default'],
    { $ref: '#/components/responses/Failed', headers: {} },
    { $ref: '#/components/responses/Failed' },
  ],
  [
    'a media type without a schema has one that allows any value',
    [...POST, 'requestBody', 'content'],
    { 'application/json': {} },
    { 'application/json': { schema: {} } },
  ],
  [
    'encoding was removed, which has no effect on JSON',
    [...POST, 'requestBody', 'content'],
    { 'application/json': { schema: {}, encoding: { title: {} } } },
    { 'application/json': { schema: {} } },
  ],
  [
    'a response has the name of its status as its description',
    [...POST, 'responses', '202'],
    {},
    { description: 'Accepted' },
  ],
  [
    'a reply that has no body lost its content',
    [...POST, 'responses', '204'],
    { description: 'Gone', content: { 'application/json': { schema: {} } } },
    { description: 'Gone' },
  ],
  [
    'a header Content-Type was removed, which OpenAPI ignores',
    [...POST, 'responses', '202'],
    {
      description: 'Accepted',
      headers: { 'content-type': { schema: { type: 'string' } }, 'X-A': { schema: { type: 'string' } } },
    },
    { description: 'Accepted', headers: { 'X-A': { schema: { type: 'string' } } } },
  ],
  ['a member without a value was removed', [...POST, 'summary'], null, undefined],
  [
    'a parameter that a list has twice stands there once',
    [...POST, 'parameters'],
    [Q, { name: 'x', in: 'header', schema: { type: 'string' } }, Q],
    [Q, { name: 'x', in: 'header', schema: { type: 'string' } }],
  ],
  [
    'a parameter of a path says that it is required',
    ['paths', '/books/{id}'],
    { parameters: [{ name: 'id', in: 'path', schema: { type: 'string' } }] },
    { parameters: [{ name: 'id', in: 'path', schema: { type: 'string' }, required: true }] },
  ],
  [
    'fields without an effect on a scheme of HTTP were removed',
    ['components', 'securitySchemes', 'token'],
    { type: 'http', scheme: 'bearer', in: 'header', name: 'token' },
    { type: 'http', scheme: 'bearer' },
  ],
  ['the version of the API became a text', ['info', 'version'], 1.5, '1.5'],
  [OWN_ID, [...POST, 'operationId'], undefined, 'postBooks'],
  [
    OWN_ID,
    ['paths', '/books', 'delete'],
    { operationId: 'addBook', responses: { '204': { description: 'Gone' }, default: { description: 'Failed' } } },
    { operationId: 'deleteBooks', responses: { '204': { description: 'Gone' }, default: { description: 'Failed' } } },
  ],
  [
    'an operation that has only a default reply declares it as 200 too',
    [...POST, 'responses'],
    { default: { description: 'Done' } },
    { '200': { description: 'Done' }, default: { description: 'Done' } },
  ],
  [
    'each operation declares what the service itself answers',
    [...POST, 'responses', 'default'],
    undefined,
    { $ref: '#/components/responses/Failure' },
  ],
])('adopt makes the edit “%s” at %j', (what, path, before, after) => {
  const { edits, places, open, refusals, document, text } = adopted(documentWith(path, before));
  expect({ edits, open, refusals }).toEqual({ edits: [OLD, what], open: [], refusals: [] });
  expect(places).toEqual(places.map(() => expect.stringMatching(/^openapi\.yaml:\d+:\d+/)));
  expect(at(document, path)).toEqual(after);
  expect(adopted(text)).toMatchObject({ edits: [], text });
});

test('names operations by method and path, each once, and declares the variables of their paths', () => {
  const item = { get: { responses: { '200': { description: 'Read' } } } };
  const { edits, refusals, document } = adopted(
    documentWith(['paths'], { '/books/{id}': item, '/books/by-id': structuredClone(item), '/': structuredClone(item) }),
  );
  expect([edits.includes('a variable of a path is declared as a text'), refusals]).toEqual([true, []]);
  expect(document).toMatchObject({
    servers: [{ url: '/v1' }],
    paths: {
      '/books/{id}': {
        get: {
          operationId: 'getBooksById',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        },
      },
      '/books/by-id': { get: { operationId: 'getBooksById2' } },
      '/': { get: { operationId: 'getRoot' } },
    },
  });
});

test('leaves a parameter component in place when one operation refers to it twice', () => {
  const yaml = documentWith(['components', 'parameters'], { Q });
  const document = parse(yaml) as Data;
  const $ref = '#/components/parameters/Q';
  Object.assign(at(document, POST) as object, { parameters: [{ $ref }, { $ref }] });
  Object.assign(document['paths'] ?? {}, { '/tomes': { get: { parameters: [{ $ref }], responses: {} } } });
  const made = adopted(stringify(document));
  expect(made).toMatchObject({ open: [], refusals: [], document: { components: { parameters: { Q } } } });
  expect(at(made.document, [...POST, 'parameters'])).toEqual([{ $ref }]);
  expect(at(made.document, ['paths', '/tomes', 'get', 'parameters'])).toEqual([{ $ref }]);
});

test('makes a component of a schema that is referred to within another part', () => {
  const id = { name: 'id', in: 'query', schema: { $ref: '#/components/schemas/Book/properties/title' } };
  const { document, edits, refusals, text } = adopted(documentWith([...POST, 'parameters'], [id]));
  expect({ edits, refusals }).toEqual({
    edits: [OLD, 'a schema that is referred to within another part became a component'],
    refusals: [],
  });
  const $ref = '#/components/schemas/title';
  expect(at(document, [...POST, 'parameters'])).toEqual([{ ...id, schema: { $ref } }]);
  expect([at(document, TITLE), at(document, ['components', 'schemas', 'title'])]).toEqual([
    { $ref },
    { type: 'string' },
  ]);
  expect(adopted(text)).toMatchObject({ edits: [], text });
});

test('makes components of a schema and of one within it, whichever is referred to first', () => {
  const tags = { type: 'array', items: { type: 'string', maxLength: 9 } };
  const referring = ['', '/items'].map((path) => ({
    name: `q${path.slice(1)}`,
    in: 'query',
    schema: { $ref: `#/components/schemas/Book/properties/tags${path}` },
  }));
  for (const parameters of [referring, referring.toReversed()]) {
    const document = parse(documentWith([...BOOK, 'properties', 'tags'], tags)) as Data;
    Object.assign(at(document, POST) as object, { parameters });
    const made = adopted(stringify(document));
    expect([made.refusals, made.document['components']?.['schemas']]).toMatchObject([
      [],
      {
        Book: { properties: { tags: { $ref: '#/components/schemas/tags' } } },
        tags: { type: 'array', items: { $ref: '#/components/schemas/items' } },
        items: tags.items,
      },
    ]);
  }
});

test('writes three numbers where a document names its version by two', () => {
  const { edits, document } = adopted(documentWith(['info', 'title'], 'Books', '3.1'));
  expect([edits, document]).toMatchObject([['the version of OpenAPI has three numbers'], { openapi: '3.1.0' }]);
});

test.each([
  ['an example that becomes examples', 'example: { title: Emma }'],
  ['a member without a value', 'description:'],
])('leaves no empty line where %s was the first member', (_, first) => {
  const yaml = documentWith(BOOK, 'here').replace('Book: here', `Book:\n      ${first}\n\n      type: object`);
  const { text, refusals } = adopted(yaml);
  expect([refusals, /^ +$/m.exec(text)]).toEqual([[], null]);
  expect(text.indexOf('examples:')).toBeLessThan(text.indexOf('type: object', text.indexOf(' Book:')));
  expect(adopted(text)).toMatchObject({ edits: [], text });
});

test('moves readOnly to the members that refer to a schema, where the schema is used elsewhere too', () => {
  const id = { name: 'id', in: 'query', schema: { $ref: '#/components/schemas/Id' } };
  const yaml = documentWith(['paths', '/books', 'parameters'], [id]);
  const { document, refusals } = adopted(
    yaml
      .replace('    Book:', '    Id: { type: integer, readOnly: true }\n    Book:')
      .replace(
        'title:\n          type: string',
        "title:\n          type: string\n        id: { $ref: '#/components/schemas/Id' }",
      ),
  );
  expect(refusals).toEqual([]);
  expect(document['components']?.['schemas']).toMatchObject({
    Id: { type: 'integer' },
    Book: { properties: { id: { $ref: '#/components/schemas/Id', readOnly: true } } },
  });
});

test('keeps readOnly for members whose schema has it by other schemas', () => {
  const $ref = '#/components/schemas/Id';
  const members = { one: { $ref: '#/components/schemas/Same' }, other: { allOf: [{ $ref }] } };
  const document = parse(documentWith([...BOOK, 'properties'], members)) as Data;
  const own = { Id: { type: 'integer', readOnly: true }, Same: { $ref } };
  Object.assign(document['components']?.['schemas'] ?? {}, own);
  Object.assign(document['paths']?.['/books'] ?? {}, { parameters: [{ name: 'id', in: 'query', schema: { $ref } }] });
  const made = adopted(stringify(document));
  expect([made.refusals, at(made.document, [...BOOK, 'properties'])]).toEqual([
    [],
    { one: { ...members.one, readOnly: true }, other: { ...members.other, readOnly: true } },
  ]);
});

test('names the keywords that OpenAPI 3.0 does not know, which apply', () => {
  const { edits, places } = adopted(documentWith(TITLE, { type: 'integer', exclusiveMinimum: 3, const: 4 }));
  expect([edits, places]).toEqual([
    [OLD],
    [
      expect.stringMatching(/:1:1$/),
      expect.stringMatching(/:\d+:\d+ exclusiveMinimum, which 3\.0 does not know, applies \(post \/books\)$/),
      expect.stringMatching(/:\d+:\d+ const, which 3\.0 does not know, applies \(post \/books\)$/),
    ],
  ]);
});

test.each([
  [
    'a schema that it adds itself, if the document declares none',
    undefined,
    { error: { type: 'integer' }, message: { type: 'string' } },
  ],
  [
    'the schema of the failures that the document declares',
    { type: 'object', properties: { detail: { type: 'string' } } },
    { detail: { type: 'string' } },
  ],
])('declares the failures that the service itself answers, with %s', (_, schema, members) => {
  const content = schema && { content: { 'application/json': { schema } } };
  const responses = { '201': { description: 'Added' }, '404': { description: 'Unknown', ...content } };
  const yaml = documentWith([...POST, 'responses'], responses);
  const { document } = adopted(schema === undefined ? yaml.replaceAll('Error', 'Mistake') : yaml);
  const failure = at(document, ['components', 'responses', 'Failure', 'content', 'application/json', 'schema']);
  const { $ref } = failure as { $ref?: string };
  const found = $ref === undefined ? failure : at(document, $ref.slice(2).split('/'));
  expect(found).toMatchObject({ properties: members });
});

test('lets an operation that declares no reply answer 200 with any value', () => {
  const { document, refusals } = adopted(documentWith([...POST, 'responses'], {}));
  expect(refusals).toEqual([]);
  expect(at(document, [...POST, 'responses'])).toEqual({
    '200': { description: 'OK', content: { 'application/json': { schema: {} } } },
    default: { $ref: '#/components/responses/Failure' },
  });
});

test('declares 4XX and 5XX where default is the success of an operation', () => {
  const content = { 'application/json': { schema: { type: 'object' } } };
  const { document } = adopted(documentWith([...POST, 'responses'], { default: { description: 'Read', content } }));
  expect(at(document, [...POST, 'responses'])).toEqual({
    '200': { description: 'Read', content },
    default: { description: 'Read', content },
    '4XX': { $ref: '#/components/responses/Failure' },
    '5XX': { $ref: '#/components/responses/Failure' },
  });
});

test('keeps comments, order and words, and changes nothing beside the edits', () => {
  const yaml = `# Books of the town.
openapi: "3.0.3" # for now
info: { title: 'Books', version: 1.0.0 }
paths:
  /books:
    # Reads one.
    get:
      operationId: readBook
      parameters:
      - name: size # in pages
        in: query
        schema: { type: integer, example: 0x10, nullable: false }
      responses:
        default: { description: Failed }
        200:
          description: >-
            A book
            of many words.
          content:
            application/json: # always
              schema:
                # A note.
                nullable: true # or none
                type: string
                # The end.
`;
  expect(adopted(yaml).text).toBe(`# Books of the town.
openapi: "3.1.0" # for now
info: { title: 'Books', version: 1.0.0 }
paths:
  /books:
    # Reads one.
    get:
      operationId: readBook
      parameters:
      - name: size # in pages
        in: query
        schema: { type: integer, examples: [ 16 ] }
      responses:
        default: { description: Failed }
        200:
          description: >-
            A book of many words.
          content:
            application/json:
              # always
              schema:
                # A note.
                type: [ string, "null" ]
                # The end.
`);
});

test('declares a default reply as 200 too with its words, and leaves what is refused out of both', () => {
  const yaml = `openapi: 3.1.0
info: { title: Books, version: 1.0.0 }
paths:
  /books:
    get:
      operationId: readBook
      responses:
        # Whatever happens.
        default:
          description: Read # always
          content:
            application/xml: { schema: {} }
            application/json:
              schema: { type: string, format: isbn, examples: [ 1 ] }
`;
  const { text, asked, refusals } = adopted(yaml);
  expect(refusals).toEqual([]);
  expect(text).toContain(`      responses:
        # Whatever happens.
        "200":
          description: Read # always
          content:
            application/json:
              schema: { type: string }
        default:
          description: Read # always
          content:
            application/json:
              schema: { type: string }
        4XX:
`);
  // Each question has its line, once.
  expect(asked.match(/^# books\.yaml.*/gm)).toEqual([
    expect.stringMatching(/^# books\.yaml:11:11 get \/books, response 200: application\/xml, application\/json$/),
    expect.stringMatching(/^# books\.yaml:14:39: format isbn /),
  ]);
});

test('keeps the words of what goes to another place', () => {
  const yaml = documentWith(
    [...POST, 'parameters'],
    [{ name: 'size', in: 'query', schema: { $ref: '#/components/schemas/Book/properties/title' } }],
  )
    .replace('in: query', 'in: query # in pages')
    .replace('/books:', '/books/{id}:')
    .replace('title:\n          type: string', 'title:\n          type: string # as printed');
  const { text, refusals } = adopted(yaml);
  expect(refusals).toEqual([]);
  expect(text).toContain('in: query # in pages');
  expect(text).toMatch(/^ {4}title:\n {6}type: string # as printed$/m);
});

const ADD_BOOK = `openapi: 3.1.0
info: { title: Books, version: 1.0.0 }
paths:
  /books:
    post:
      operationId: addBook
      responses:
`;

test('puts an anchor before its aliases where a reply moves before the one that has the anchor', () => {
  const yaml = `${ADD_BOOK}        '201': { description: Added }
        '404': { description: Gone, content: { application/json: { schema: &failure { type: string } } } }
        '422': { description: Bad, content: { application/json: { schema: *failure } } }
`;
  const { document } = adopted(yaml, 'status-422: 400');
  const content = { 'application/json': { schema: { type: 'string' } } };
  expect(at(document, [...POST, 'responses'])).toMatchObject({
    '400': { description: 'Bad', content },
    '404': { description: 'Gone', content },
  });
});

test('writes the value of an alias that moves behind another anchor of the same name', () => {
  const yaml = `${ADD_BOOK}        '201': { description: Added, content: { application/json: { schema: &a { type: string } } } }
        '404': { description: Gone, content: { application/json: { schema: { properties: { why: *a } } } } }
tags:
- &a { name: books }
- *a
`;
  const { document, text } = adopted(yaml);
  expect(text).toContain('- *a');
  expect(at(document, ['components', 'responses', 'Failure', 'content'])).toEqual({
    'application/json': { schema: { properties: { why: { type: 'string' } } } },
  });
});

test('writes JSON as YAML', () => {
  const yaml = documentWith(['info', 'title'], 'Books', '3.1.0');
  const { text } = adopted(JSON.stringify(adopted(yaml).document));
  expect(text).toBe(yaml);
});

test('adds a description to a response with a name that each object inherits, and refuses it', () => {
  const { document, refusals } = adopted(documentWith([...POST, 'responses', 'constructor'], {}));
  expect(at(document, [...POST, 'responses', 'constructor'])).toEqual({ description: 'A reply' });
  expect(refusals).toEqual([expect.stringContaining('constructor')]);
});

test('keeps the text of versions that are written as numbers', () => {
  const yaml = documentWith(['info', 'version'], 'here').replace('version: here', 'version: 1.10');
  const { document, edits } = adopted(yaml.replace('openapi: 3.0.3', 'openapi: 3.0'));
  expect([document, edits]).toMatchObject([
    { openapi: '3.1.0', info: { version: '1.10' } },
    [OLD, 'the version of the API became a text'],
  ]);
});

test('keeps the quotes of the texts of JSON that YAML 1.1 reads as other values', () => {
  const texts = ['no', 'on', '12:30', '2020-01-01', '=', '0o7', '1_000'];
  const example = { examples: texts, type: 'string' };
  const { text } = adopted(JSON.stringify(parse(documentWith(TITLE, example, '3.1.0'))));
  expect(parse(text, { version: '1.1' })).toMatchObject({
    components: { schemas: { Book: { properties: { title: { examples: texts } } } } },
  });
  expect(text).toContain('"="');
});

test('keeps the ends of lines, the form of braces, and the words beside what gets another name or form', () => {
  const yaml = `openapi: 3.0.3
info: {title: Books, version: 1.0.0}
paths: {}
components:
  schemas:
    Book:
      type: object
      properties:
        # As printed.
        title:
          type: string # in Latin letters
          nullable: true
          # One of them.
          example: Emma # by Jane Austen
        pages: {type: integer}
`.replaceAll('\n', '\r\n');
  expect(adopted(yaml).text).toBe(
    yaml
      .replace('3.0.3', '3.1.0')
      .replace('type: string # in', 'type: [string, "null"] # in')
      .replace('          nullable: true\r\n', '')
      .replace('example: Emma', 'examples: [Emma]'),
  );
});

test('keeps the ends of lines of comments that stand one below the other, in a second run too', () => {
  const first = adopted(documentWith(['x-note'], 1).replace('x-note', '# one\n# two\nx-note').replaceAll('\n', '\r\n'));
  expect([first.text, adopted(first.text).text]).toEqual([expect.not.stringContaining('\r\r'), first.text]);
});
