import fc from 'fast-check';
import { TEXTS } from '../../support/texts.ts';
import type { Item } from '../../services/items/index.ts';

const fitting = TEXTS.filter((text) => !text.includes('\0') && text.length <= 200);
/** Generates texts with the special characters of CSV and JSON, and any other texts. */
const text = fc.oneof(
  fc.constantFrom(...fitting),
  fc.string({
    unit: fc.constantFrom('"', ',', '\n', '\r', ' ', '\\', '\u2028', 'ä', '🌱', '\ufeff', '=1+1'),
    maxLength: 20,
  }),
  fc.string({ unit: 'binary', maxLength: 20 }).filter((each) => !each.includes('\0')),
);

/** Generates items with different ids, and with any names and tags that the contract allows. */
export const itemsOfAllKinds: fc.Arbitrary<Item[]> = fc.uniqueArray(
  fc
    .record({
      id: fc.oneof(
        fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n, 2n ** 53n, 2n ** 53n + 1n),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      ),
      name: text.filter((each) => each !== ''),
      tag: fc.option(text, { nil: undefined }),
    })
    .map(({ id, name, tag }) => (tag === undefined ? { id, name } : { id, name, tag })),
  { selector: ({ id }) => id, maxLength: 40 },
);
