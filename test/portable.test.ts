import { expect, test } from '@jest/globals';
import { readOpenApi, resolver } from '../packages/contract/src/schema/document.ts';
import { YAML } from './support.ts';

const document = readOpenApi(YAML);

/** The members of this name, wherever they are in the contract, as path and value. */
function found(name: string, node: unknown = document, path = ''): (readonly [path: string, value: unknown])[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, each]: [string, unknown]) => [
    ...(key === name ? [[`${path}/${key}`, each] as const] : []),
    ...found(name, each, `${path}/${key}`),
  ]);
}

test('openapi.yaml has only patterns that match whole strings and mean the same in each language', () => {
  const patterns = found('pattern').map(([, pattern]) => String(pattern));
  expect(patterns.length).toBeGreaterThan(5);
  for (const pattern of patterns) {
    expect(pattern).toMatch(/^\^.*\$$/);
    // PHP and Go lack \u, and JavaScript has \p only with the flag u.
    expect(pattern).not.toMatch(/\\[upP]/);
    // Clients compile patterns without the flag u, which makes 🌱 one character.
    for (const text of ['', 'x', '🌱', '\0', '\n'])
      expect(new RegExp(pattern).test(text)).toBe(new RegExp(pattern, 'u').test(text));
  }
});

test('createPlant has examples of each body and of each header', () => {
  const { post: { requestBody, responses = {} } = {} } = document.paths?.['/plants'] ?? {};
  const replies = Object.values(responses).map(resolver(document));
  const contents = [requestBody, ...replies].flatMap(({ content = {} } = {}) => Object.values(content));
  const headers = replies.flatMap((reply) => Object.values(reply.headers ?? {}));
  expect(contents.length).toBeGreaterThan(5);
  for (const each of [...contents, ...headers.map(resolver(document))])
    expect(Object.keys(each).some((name) => ['example', 'examples'].includes(name))).toBe(true);
});
