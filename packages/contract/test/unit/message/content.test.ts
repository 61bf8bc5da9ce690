import { expect, test } from '@jest/globals';
import { bodiesOf, readReply } from '../../../src/message/content.ts';
import { follower, type Media, resolver } from '../../../src/schema/document.ts';

const document = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  paths: {},
  components: { schemas: { Bytes: { type: 'string', format: 'binary', maxLength: 9 }, Code: { enum: ['a', 'b'] } } },
} as const;
const follow = follower(document);
const kindOf = (type: string, media: Media) =>
  bodiesOf({ [type]: media }, follow, 'post /notes')
    .values()
    .next().value;
const $ref = '#/components/schemas/Bytes';

test.each<[type: string, media: Media, kind: string, schema?: object]>([
  ['application/json', { schema: { type: 'string' } }, 'json'],
  ['application/hal+json; charset=utf-8', { schema: true }, 'json'],
  ['text/plain', {}, 'text', { type: 'string' }],
  ['text/csv; charset=utf-8', { schema: { type: 'string', pattern: '^a', maxLength: 9 } }, 'text'],
  ['text/plain', { schema: { $ref: '#/components/schemas/Code', type: 'string' } }, 'text'],
  ['text/plain', { schema: { maxLength: 9 } }, 'text', { type: 'string', maxLength: 9 }],
  ['text/csv', { schema: { $ref } }, 'bytes', { type: 'string', maxLength: 9 }],
  ['application/pdf', {}, 'bytes', { type: 'string' }],
  ['application/pdf', { schema: true }, 'bytes', { type: 'string' }],
  ['application/xml', { schema: { type: 'string' } }, 'bytes', { type: 'string' }],
  ['image/png', { schema: { title: 'A plan', minLength: 8 } as object }, 'bytes', { type: 'string', minLength: 8 }],
  ['image/svg+xml', { schema: { $ref, minLength: 2 } }, 'bytes', { type: 'string', minLength: 2, maxLength: 9 }],
])('a body of %s with %j is %s', (type, media, kind, schema = media.schema as object) => {
  expect(kindOf(type, media)).toMatchObject({ kind, schema });
});

test.each<[type: string, media: Media]>([
  ['text/plain', { schema: { type: 'object' } }],
  ['text/plain', { schema: { type: ['string', 'null'] } }],
  ['application/xml', { schema: { type: 'object', properties: {} } }],
  ['application/pdf', { schema: { type: 'string', format: 'byte' } }],
  ['application/pdf', { schema: { type: 'string', contentEncoding: 'base64' } as object }],
  ['application/pdf', { schema: { type: 'string', pattern: '^%PDF' } }],
  ['application/pdf', { schema: { $ref, allOf: [{ enum: ['a'] }] } }],
  ['application/pdf', { schema: false }],
])('refuses the body of %s with %j, with its place and a cure', (type, media) => {
  expect(() => kindOf(type, media)).toThrow(
    new RegExp(`, post /notes: the body of ${type} is no JSON, which this schema describes: .*leave the schema out`),
  );
});

test('puts JSON first in any order of media types', () => {
  const content = { 'application/pdf': {}, 'text/plain': {}, 'application/json': { schema: true } };
  expect([...bodiesOf(content, follow, 'post /notes').keys()]).toEqual([
    'application/json',
    'application/pdf',
    'text/plain',
  ]);
});

test.each([
  ['application/problem+json', false],
  ['text/plain', false],
  ['text/csv', false],
  ['application/pdf', false],
  ['application/octet-stream', false],
  ['image/png', false],
  ['text/html', true],
  ['image/svg+xml', true],
  ['application/xml', true],
  ['text/xsl', true],
  ['application/x-unknown', true],
])('a reply of %s may run in a browser: %p', (type, isRun) => {
  const response = { content: { [type]: { schema: { type: 'string' } } } };
  const { content } = readReply('200', response, resolver(document), follow, 'get /notes');
  expect(content?.isRun).toBe(isRun);
});
