import { expect, test } from '@jest/globals';
import { loadDocument } from '../../src/contract/load.ts';
import { YAML } from '../support/app.ts';

const document = loadDocument(YAML);

/** What stands in the contract under a name, wherever that is, with the names that lead to it. */
function found(name: string, node: unknown = document, path = ''): (readonly [path: string, value: unknown])[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, each]: [string, unknown]) => [
    ...(key === name ? [[`${path}/${key}`, each] as const] : []),
    ...found(name, each, `${path}/${key}`),
  ]);
}

test('has patterns that mean the same in every language, and where a pattern must match the whole string', () => {
  const patterns = found('pattern').map(([, pattern]) => String(pattern));
  expect(patterns.length).toBeGreaterThan(5);
  for (const pattern of patterns) {
    expect(pattern).toMatch(/^\^.*\$$/);
    // PHP and Go do not have \u, and JavaScript has \p only with the flag u.
    expect(pattern).not.toMatch(/\\[upP]/);
    // Clients leave out the flag u, by which 🌱 is one character.
    for (const text of ['', 'x', '🌱', '\0', '\n'])
      expect(new RegExp(pattern).test(text)).toBe(new RegExp(pattern, 'u').test(text));
  }
});

test('has examples of each body and of each header', () => {
  const without = [
    ...found('content').flatMap(([path, content]) =>
      Object.values(content as object).map((media) => [path, media] as const),
    ),
    ...found('headers').flatMap(([path, headers]) =>
      Object.entries(headers as object).map(([name, header]) => [`${path}/${name}`, header] as const),
    ),
  ].filter(([, each]) => !['example', 'examples', '$ref'].some((name) => name in (each as object)));
  expect(without).toEqual([]);
});
