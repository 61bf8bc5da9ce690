import { expect, test } from '@jest/globals';
import { judge } from '../../../lab/attacks/verdicts.ts';

const MIB = 1024 * 1024;

test('the service compares unique items at thirty levels within the limits of time and memory', async () => {
  const component = {
    anyOf: [
      { type: ['integer', 'object'] },
      { type: 'array', uniqueItems: true, items: { $ref: '#/components/schemas/A' } },
    ],
  };
  const leaf = JSON.stringify(Array.from({ length: 70_000 }, (_, index) => ({ a: 100_000 + index })));
  const bodies = [`${'[1,'.repeat(30)}${leaf}${']'.repeat(30)}`];
  const drawn = { schema: { $ref: '#/components/schemas/A' }, components: { A: component } };
  const { refused } = await judge({ bytes: MIB, drawn, bodies });
  expect(refused).toBe(0);
});

test('the service judges a body within the limits of time and memory, although Ajv repeats a long name for each value below it', async () => {
  const drawn = {
    schema: { additionalProperties: { items: { $ref: '#/components/schemas/A' } } },
    components: { A: {} },
  };
  const items = Array.from({ length: 100_000 }, () => 1);
  const { refused } = await judge({ bytes: MIB, drawn, bodies: [JSON.stringify({ ['~'.repeat(1000)]: items })] });
  expect(refused).toBe(0);
});
