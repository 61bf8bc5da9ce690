import { describe, expect, test } from '@jest/globals';
import { insist } from '../../support/insist.ts';
import type { Queries } from '../../../src/storage/queries.ts';
import type { Store } from '../../../src/storage/store.ts';
import type { Row } from '../../../src/storage/tables.ts';
import type { tables } from '../../services/items/tables.ts';

type Own = Queries<typeof tables>;
type Kinds = Row<(typeof tables)['kinds']>;

let nextId = 500_000n;
const newKinds = (changes: Partial<Kinds> = {}): Kinds => ({
  id: nextId++,
  text: 'x\u{1F331}',
  int64: 2n ** 63n - 1n,
  int32: -(2 ** 31),
  number: 5e-324,
  boolean: true,
  timestamp: new Date('1969-12-31T23:59:59.999Z'),
  bytes: new Uint8Array([0, 255]),
  json: { list: [2n ** 53n + 1n, null] },
  ...changes,
});

/** Tests `get`. @param spreads whether no transaction may use the tables */
export function testLookUps(getStore: () => Store, spreads: boolean): void {
  const outside = <T>(work: (own: Own) => Promise<T>) => work(getStore() as unknown as Own);
  const inside = <T>(work: (own: Own) => Promise<T>) => getStore().transaction<T>(work as never);

  describe.each([['outside a transaction', outside], ...(spreads ? [] : [['inside a transaction', inside] as const])])(
    '%s, a look-up',
    (_where, ask) => {
      test('returns the row that was created, with undefined for each null', async () => {
        const [some, all] = [
          newKinds(),
          newKinds({ bytes_or_null: new Uint8Array(), json_or_null: [], timestamp_or_null: new Date(0) }),
        ];
        for (const row of [some, all]) {
          await getStore().create('kinds', row);
          const found = await ask(({ get }) => get('kinds', { id: row.id }));
          expect(found).toEqual(row);
          expect(Object.keys(found ?? {})).toHaveLength(
            Object.keys(getStore().layout.tables['kinds']?.columns ?? {}).length,
          );
        }
        expect(await ask(({ get }) => get('kinds', { id: nextId++ }))).toBeUndefined();
      });

      test('finds −0 as it is stored, which is 0', async () => {
        const row = newKinds({ number: -0, json: [-0] });
        await getStore().create('kinds', row);
        const { number, json } = (await ask(({ get }) => get('kinds', { id: row.id }))) ?? {};
        expect([number, json]).toEqual([0, [0]]);
      });

      test('takes a key of two columns in any order, and finds the row of both', async () => {
        const item = nextId++;
        await getStore().create('items', { id: item, name: 'noted' });
        const notes = ['1', '2', 'ü', ''].map((line) => ({ item, line, body: `body ${line}` }));
        for (const note of notes) await getStore().create('notes', note);
        for (const note of notes) {
          const found = await ask(({ get }) => get('notes', { line: note.line, item }));
          expect(found).toEqual(note);
        }
        expect(await ask(({ get }) => get('notes', { item, line: '3' }))).toBeUndefined();
      });

      test('gives an object of its own to each of those that look up the same key at once', async () => {
        const row = newKinds();
        await getStore().create('kinds', row);
        const [one, other] = await ask(({ get }) =>
          Promise.all([get('kinds', { id: row.id }), get('kinds', { id: row.id })]),
        );
        one?.bytes.fill(9);
        one?.timestamp.setTime(0);
        Object.assign(one?.json as object, { seen: true });
        expect(other).toEqual(row);
      });

      test('takes the key as it was at the call', async () => {
        const row = newKinds();
        await getStore().create('kinds', row);
        const key = { id: row.id };
        const found = ask(({ get }) => {
          const asked = get('kinds', key);
          key.id = -1n;
          return asked;
        });
        expect((await found)?.id).toBe(row.id);
      });

      test.each<[string, string, object]>([
        ['an int64 beyond its range', 'items', { id: 2n ** 63n }],
        ['a text with U+0000', 'members', { id: 'a\0' }],
        ['a text longer than any key', 'members', { id: 'x'.repeat(10_000) }],
      ])('finds no row by %s', async (_what, table, key) => {
        expect(await ask(({ get }) => get(table as 'items', key as { id: bigint }))).toBeUndefined();
      });

      test.each<[string, string, object, string]>([
        ['that lacks a column', 'notes', { item: 1n }, 'the key of "notes" lacks line'],
        ['with a null', 'notes', { item: 1n, line: null }, 'the key of "notes" lacks line'],
        ['with another column', 'items', { id: 1n, name: 'x' }, 'the key of "items" has no column name'],
        ['with a lone surrogate', 'members', { id: '\ud800' }, 'a lone surrogate'],
        ['with a value of another kind', 'items', { id: '1' }, 'the column id of "items" takes a bigint, not a string'],
        ['of a table that is none', 'nothing', { id: 1n }, 'no table nothing'],
      ])('refuses a key %s', async (_what, table, key, why) => {
        await expect(ask(({ get }) => get(table as 'items', key as { id: bigint }))).rejects.toThrow(why);
      });
    },
  );

  test('outside a transaction, each of many look-ups at once gets its own answer, also one whose key no row can have', async () => {
    const rows = Array.from({ length: 30 }, () => newKinds());
    await Promise.all(rows.map((row) => getStore().create('kinds', row)));
    const beyond = 2n ** 64n;
    const ids = [...rows.flatMap(({ id }, index) => (index % 3 === 0 ? [id, id, nextId++] : [id])), beyond];
    const answers = await outside(({ get }) => Promise.all(ids.map((id) => get('kinds', { id }))));
    const expected = new Map(rows.map((row) => [row.id, row]));
    const found = new Set<unknown>();
    for (const [index, id] of ids.entries()) {
      const answer = answers[index];
      expect(answer).toEqual(expected.get(id));
      expect(found.has(answer)).toBe(false);
      if (answer !== undefined) found.add(answer);
    }
  });

  if (!spreads)
    test('inside a transaction, a look-up finds what the transaction has written, and not what it has rolled back', async () => {
      const id = nextId++;
      const work = inside(async ({ create, database, get }) => {
        await create('items', { id, name: 'one', tag: undefined });
        await database.updateTable('items').set({ name: 'two' }).where('id', '=', id).execute();
        expect(await get('items', { id })).toEqual({ id, name: 'two', tag: undefined });
        throw new Error('undone');
      });
      await expect(work).rejects.toThrow('undone');
      expect(await outside(({ get }) => get('items', { id }))).toBeUndefined();
    });

  if (!spreads)
    test('a transaction runs again when a row that it has looked up changes before its commit', async () => {
      const id = nextId++;
      await getStore().create('items', { id, name: '0' });
      const addOne = () =>
        inside(async ({ database, get }) => {
          const name = String(Number((await get('items', { id }))?.name) + 1);
          await database.updateTable('items').set({ name }).where('id', '=', id).execute();
        });
      await Promise.all(Array.from({ length: 16 }, () => insist(addOne)));
      expect((await outside(({ get }) => get('items', { id })))?.name).toBe('16');
    });
}
