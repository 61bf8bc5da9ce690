import { describe, expect, test } from '@jest/globals';
import { concreteFirst, PAGES, readBasePath } from '../../../src/rules/addresses.ts';
import { readOpenApi } from '../../../src/schema/document.ts';

/** A contract with an empty GET operation at each of these paths. */
function withPaths(servers: string, ...paths: readonly string[]): string {
  const items = paths.map((path) => `  ${JSON.stringify(path)}: { get: {} }\n`).join('');
  return `openapi: 3.1.0\nservers: ${servers}\npaths:\n${items}`;
}

const basePathOf = (yaml: string) => readBasePath(readOpenApi(yaml));

test.each([
  ['[]', ''],
  ['[{ url: / }]', ''],
  ['[{ url: https://api.example.com }]', ''],
  ['[{ url: https://api.example.com/ }]', ''],
  ['[{ url: /api/v1 }]', '/api/v1'],
  ['[{ url: /api/v1/ }, { url: https://api.example.com/api/v1/ }, { url: /api/v1 }]', '/api/v1'],
  ['[{ url: https://api.example.com:8443/api/v1 }]', '/api/v1'],
  ['[{ url: https://api.example.com/api/v1 }, { url: "http://[::1]/api/v1" }, { url: /api/v1 }]', '/api/v1'],
  ['[{ url: "/caf%C3%A9/v1:b" }]', '/caf%C3%A9/v1:b'],
  ['[{ url: "/%7ecaf%c3%A9" }]', '/~caf%C3%A9'],
  ['[{ url: /api }, { url: https://api.example.com }, { url: "wss://api.example.com?v=1" }]', '/api'],
  [
    '[{ url: "https://{region}.example.com/{v}/x", variables: { region: { default: eu }, v: { default: v1 } } }]',
    '/v1/x',
  ],
])('servers %s put %j in front of each path', (servers, basePath) => {
  expect(basePathOf(withPaths(servers, '/things'))).toBe(basePath);
});

test('a contract without servers puts nothing in front of each path', () => {
  expect(basePathOf('openapi: 3.1.0\npaths:\n  /things: {}\n')).toBe('');
});

describe('refused servers', () => {
  test.each([
    ['api/v1'],
    ['.'],
    ['""'],
    ['//evil.example/api'],
    [String.raw`/\evil.example/api`],
    ['/api//v1'],
    ['/api/../v1'],
    ['/café'],
    ['/api?v=1'],
    ['"/api#v1"'],
    ['https://api.example.com?v=1'],
    ['ftp://api.example.com/api'],
    ['"https://[::1/api"'],
    ['"/{version}"'],
  ])('readBasePath refuses, with line and column, a server with the url %s', (url) => {
    expect(() => basePathOf(withPaths(`[{ url: ${url} }]`))).toThrow(
      /^openapi\.yaml:2:11, servers: the url .* must be a path such as \/api\/v1, or http:/,
    );
  });

  test('readBasePath refuses, with line and column, a default of a variable that is no part of a path', () => {
    expect(() => basePathOf(withPaths('[{ url: "/{v}", variables: { v: { default: "1?x" } } }]'))).toThrow(
      'openapi.yaml:2:11, servers: the url /1?x must be a path such as /api/v1, or http:',
    );
  });

  test.each([
    ['[]', '/', PAGES.root],
    ['[]', '/docs', PAGES.docs],
    ['[]', '/docs/', PAGES.docs],
    ['[]', '/docs/items/{id}', PAGES.docs],
    ['[]', '/openapi.yaml', PAGES.yaml],
    ['[]', '/openapi.json', PAGES.json],
    ['[]', '/{page}', PAGES.docs],
    ['[]', '/{folder}/{file}', PAGES.docs],
    ['[]', '/d{rest}', PAGES.docs],
    ['[]', '/{name}.json', PAGES.json],
    ['[{ url: /docs }]', '/items', PAGES.docs],
    ['[{ url: https://api.example.com/docs/v1 }]', '/items', PAGES.docs],
  ])(
    'readBasePath refuses, with line and column, below the servers %s, the path %s, which hides a page',
    (servers, path, page) => {
      expect(() => basePathOf(withPaths(servers, path))).toThrow(
        new RegExp(`^openapi\\.yaml:4:3, .*: ${RegExp.escape(page)} is a page of the service: choose another path, or`),
      );
    },
  );
});

describe('paths', () => {
  const refusalOf =
    (...paths: readonly string[]) =>
    () =>
      basePathOf(withPaths('[]', ...paths));

  test.each([
    ['/x/{a}{b}', 'a segment can have only one variable: put a slash between the two, or join them'],
    ['/x/{a}-{b}', 'a segment can have only one variable'],
    ['/x/{a}/{a}', 'a path must not have the same variable twice'],
    ['/x/{}', 'a brace must belong to a variable that has a name, such as {id}'],
    ['/x/{a', 'a brace must belong to a variable'],
    ['/x/a}', 'a brace must belong to a variable'],
    ['/café/{a}', 'clients would change this path: write it percent-encoded, without dot segments and query'],
    ['/x/../{a}', 'clients would change this path'],
    ['/x?a={a}', 'clients would change this path'],
    ['/x/%6eew/%c3%A9', 'clients may write this path in another way: write /x/new/%C3%A9'],
  ])('a path of the contract is refused with line, column and reason: %s', (path, message) => {
    expect(refusalOf(path)).toThrow(`openapi.yaml:4:3, ${path}: ${message}`);
  });

  test.each([
    ['/x/{a}', '/x/{b}'],
    ['/x/{a}/v{b}', '/x/{b}/v{a}'],
  ])('a path of the contract is refused beside %s if it is %s, which matches the same requests', (first, second) => {
    expect(refusalOf(first, second)).toThrow(
      `openapi.yaml:5:3, ${second}: the path ${first} matches the same requests of get: join the two`,
    );
  });

  test('a path of the contract is accepted beside one that matches the same requests of other methods', () => {
    const yaml = withPaths('[]', '/x/{a}', '/x/{b}').replace('"/x/{b}": { get:', '"/x/{b}": { put:');
    expect(() => basePathOf(yaml)).not.toThrow();
  });

  test('a path of the contract comes before those that are less concrete, wherever it stands', () => {
    const paths = ['/x/{a}/c', '/x/{a}', '/{x}/b', '/x/{a}.json', '/x/v{a}.json', '/x/b', '/x/b/{c}'];
    for (const some of [paths, paths.toReversed()]) {
      const of = (...few: readonly string[]) =>
        concreteFirst(some.flatMap((path) => (few.includes(path) ? [{ path }] : []))).map(({ path }) => path);
      expect(of('/x/b', '/x/{a}.json', '/x/v{a}.json', '/x/{a}', '/{x}/b')).toEqual([
        ...['/x/b', '/x/v{a}.json', '/x/{a}.json', '/x/{a}', '/{x}/b'],
      ]);
      expect(of('/x/{a}/c', '/x/b/{c}')).toEqual(['/x/b/{c}', '/x/{a}/c']);
      // Templates of other lengths stay where they are.
      const mixed = of('/x/{a}', '/x/b', '/x/b/{c}', '/x/{a}/c').map((path) => path.split('/').length);
      expect(mixed).toEqual(
        some.flatMap((path) => (/^\/x\/(?:b|\{a\})(?:\/|$)/.test(path) ? [path.split('/').length] : [])),
      );
    }
  });

  test.each([
    ['/x/{a}.json', '/x/{a}'],
    ['/x/{a}', '/x/b'],
    ['/x/{a}', '/x/{a}.json'],
    ['/x/{a}/{b}', '/x/v{a}/{c}'],
    ['/x/{a}/y', '/x/b/{c}'],
    ['/x/{a}', '/x/{a}/y'],
    ['/caf%C3%A9/{a}', "/x/v1:a+b(c)'!*,;=@~$&"],
  ])('a path of the contract is accepted when %s stands before %s and does not hide it', (first, second) => {
    expect(refusalOf(first, second)).not.toThrow();
  });
});

test.each([
  ['[]', '/docs.json'],
  ['[]', '/docs{x}'],
  ['[]', '/openapi.yaml/{id}'],
  ['[]', '/items/docs'],
  ['[]', '/items/{id}'],
  ['[]', '/Docs'],
  ['[{ url: /api }]', '/'],
  ['[{ url: /api }]', '/docs'],
  ['[{ url: /api }]', '/{page}'],
])('below the servers %s, the path %s is accepted: it hides no page', (servers, path) => {
  expect(basePathOf(withPaths(servers, path))).toBe(servers === '[]' ? '' : '/api');
});
