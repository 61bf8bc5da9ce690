import { describe, expect, test } from '@jest/globals';
import type { Row as RowOf } from '../../../src/storage/tables.ts';
import type { AnyRow } from '../../../src/storage/engine.ts';
import type { Store } from '../../../src/storage/store.ts';
import { allRows, createEach, runSql } from '../../support/app.ts';
import type { tables } from '../../services/items/tables.ts';

type Kinds = RowOf<(typeof tables)['kinds']>;
type Note = RowOf<(typeof tables)['notes']>;

let nextId = 2_000_000n;

const newKinds = (changes: Partial<Kinds> = {}): Kinds => ({
  id: nextId++,
  text: 'x',
  int64: 2n ** 53n + 1n,
  int32: -1,
  number: 0.1,
  boolean: false,
  timestamp: new Date('2026-02-01T12:00:00.001Z'),
  bytes: new Uint8Array([0, 255]),
  json: { a: [1, null] },
  ...changes,
});

/** How often each outcome stands in a list. */
const tally = (outcomes: readonly unknown[]) =>
  Object.fromEntries(
    Map.groupBy(outcomes, String)
      .entries()
      .map(([each, all]) => [each, all.length]),
  );

/**
 * Tests that a table with a column of each kind, one whose key has two columns, and two tables side by side are stored
 * by the rules that hold for items. @param open opens the same store once more
 */
export function testTables(getStore: () => Store, open: () => Promise<Store>): void {
  const stored = async (table: string, where: (row: AnyRow) => boolean) =>
    (await allRows(getStore(), table)).filter(where);

  describe('a table with a column of each kind', () => {
    const find = (id: bigint) => stored('kinds', (row) => row['id'] === id);

    test('stores a row once, replays it, and answers "conflict" to a row that differs in any column', async () => {
      const store = getStore();
      const row = newKinds({ text_or_null: '', boolean_or_null: true, json_or_null: [] });
      expect(await store.create('kinds', row)).toBe('created');
      expect(await store.create('kinds', { ...row, timestamp: new Date(row.timestamp), json: { a: [1, null] } })).toBe(
        'replayed',
      );
      const { text_or_null: _, ...without } = row;
      const others = [
        { ...row, text: 'X' },
        { ...row, int64: 2n ** 53n },
        { ...row, int32: 1 },
        { ...row, number: 0.2 },
        { ...row, boolean: true },
        { ...row, timestamp: new Date('2026-02-01T12:00:00.002Z') },
        { ...row, bytes: new Uint8Array([0, 254]) },
        { ...row, json: { a: [null, 1] } },
        { ...row, bytes_or_null: new Uint8Array() },
        { ...row, json_or_null: {} },
        without,
      ];
      expect(await createEach(store, 'kinds', others)).toEqual(others.map(() => 'conflict'));
      expect(await find(row.id)).toEqual([row]);
    });

    test('stores one of 50 equal rows that arrive together, and one of ten different rows with the same key', async () => {
      const store = getStore();
      const equal = newKinds();
      const same = await Promise.all(Array.from({ length: 50 }, () => store.create('kinds', equal)));
      expect(tally(same)).toEqual({ created: 1, replayed: 49 });
      const { id } = newKinds();
      const different = Array.from({ length: 50 }, (_, index) => newKinds({ id, number: index % 10 }));
      expect(tally(await Promise.all(different.map((row) => store.create('kinds', row))))).toEqual({
        created: 1,
        replayed: 4,
        conflict: 45,
      });
      expect(await find(id)).toHaveLength(1);
    });

    test('stores all rows of a batch but those that no column can hold', async () => {
      const { text: _, ...incomplete } = newKinds();
      const rows = [
        newKinds(),
        newKinds({ number: NaN }),
        newKinds(),
        incomplete,
        newKinds({ timestamp: new Date(NaN) }),
        newKinds(),
      ];
      const outcomes = await Promise.allSettled(rows.map((row) => getStore().create('kinds', row)));
      expect(outcomes).toMatchObject([
        { value: 'created' },
        { reason: { message: 'NaN cannot be stored' } },
        { value: 'created' },
        { reason: { name: 'ConstraintViolated', constraint: 'not null' } },
        { reason: { message: 'a timestamp must be in the years 1 to 9999' } },
        { value: 'created' },
      ]);
    });

    test('is listed in the order of its key, is counted, and loses a row that is removed', async () => {
      const store = getStore();
      const [first, second] = [newKinds(), newKinds()];
      await createEach(store, 'kinds', [second, first]);
      const before = await store.count('kinds');
      const listed = await allRows(store, 'kinds');
      expect(listed).toHaveLength(before);
      expect(listed.slice(-2)).toEqual([first, second]);
      expect(await store.remove('kinds', second.id)).toBe(true);
      expect(await store.remove('kinds', second.id)).toBe(false);
      expect(await store.count('kinds')).toBe(before - 1);
    });
  });

  describe('a table whose key has two columns', () => {
    /** A note on an item that exists. */
    const newNote = async (changes: Partial<Note> = {}): Promise<Note> => {
      const item = nextId++;
      expect(await getStore().create('items', { id: item, name: 'noted' })).toBe('created');
      return { item, line: '1', body: 'water', ...changes };
    };
    const find = ({ item }: Note) => stored('notes', (row) => row['item'] === item);

    test('stores a row once, replays it, and answers "conflict" to another row with both columns of the key', async () => {
      const store = getStore();
      const note = await newNote();
      const rows = [
        note,
        { ...note },
        { ...note, body: 'Water' },
        { ...note, line: '2' },
        { ...note, line: '2', body: '' },
      ];
      const creations = [];
      for (const row of rows) creations.push(await store.create('notes', row));
      expect(creations).toEqual(['created', 'replayed', 'conflict', 'created', 'conflict']);
      expect(await find(note)).toEqual([note, { ...note, line: '2' }]);
      // In one call, the first row of a key wins.
      const more = ['3', '1', '3', '3'].map((line, index) => ({
        ...note,
        line,
        body: index === 2 ? 'other' : 'water',
      }));
      expect(await createEach(store, 'notes', more)).toEqual(['created', 'replayed', 'conflict', 'replayed']);
    });

    test('tells keys apart whose columns look the same once they are joined', async () => {
      const store = getStore();
      const one = nextId++;
      // With the line '', it looks like the first item with the line '1'.
      const other = 10n * one + 1n;
      await createEach(
        store,
        'items',
        [one, other].map((id) => ({ id, name: 'noted' })),
      );
      const lines = ['', '1', '"', '","', ',', "'", '\\', '\\"', '1,', ' 1', '1 ', '01', 'a', 'A', 'é', 'e\u0301'];
      const rows = [one, other].flatMap((item) => lines.map((line) => ({ item, line, body: `${item}${line}` })));
      expect(tally(await Promise.all(rows.map((row) => store.create('notes', row))))).toEqual({ created: rows.length });
      expect(tally(await Promise.all(rows.map((row) => store.create('notes', row))))).toEqual({
        replayed: rows.length,
      });
      expect(new Set(await stored('notes', ({ item }) => item === one || item === other))).toEqual(new Set(rows));
    });

    test('stores one of 50 equal rows that arrive together, and one of ten different rows with the same key', async () => {
      const store = getStore();
      const equal = await newNote();
      const same = await Promise.all(Array.from({ length: 50 }, () => store.create('notes', equal)));
      expect(tally(same)).toEqual({ created: 1, replayed: 49 });
      const different = Array.from({ length: 50 }, (_, index) => ({ ...equal, line: '2', body: String(index % 10) }));
      const creations = await Promise.all(different.map((row) => store.create('notes', row)));
      expect(tally(creations)).toEqual({ created: 1, replayed: 4, conflict: 45 });
      expect(await find(equal)).toEqual([equal, different[creations.indexOf('created')]]);
    });

    test('stores one of two different rows with the same key when each comes through its own open store', async () => {
      const store = getStore();
      const other = await open();
      const { item } = await newNote();
      const lines = Array.from({ length: 100 }, (_, line) => String(line));
      const creations = await Promise.all(
        lines.flatMap((line) => [
          store.create('notes', { item, line, body: 'from one' }),
          other.create('notes', { item, line, body: 'from the other' }),
        ]),
      );
      await other.close();
      expect(tally(creations)).toEqual({ created: 100, conflict: 100 });
    });

    test('stores all rows of a batch but the one whose item does not exist', async () => {
      const store = getStore();
      const note = await newNote();
      const rows = [note, { ...note, item: -(2n ** 62n) }, { ...note, line: '2' }];
      const outcomes = [
        { status: 'fulfilled', value: 'created' },
        { status: 'rejected', reason: { name: 'ConstraintViolated', constraint: 'foreign key' } },
        { status: 'fulfilled', value: 'created' },
      ];
      expect(await Promise.allSettled(rows.map((row) => store.create('notes', row)))).toMatchObject(outcomes);
      const again = rows.map((row) => ({ ...row, line: `${row.line}0` }));
      expect(await Promise.allSettled(again.map((row) => store.create('notes', row)))).toMatchObject(outcomes);
    });

    test('is listed in the order of its key, is counted, and refuses to remove a row by one column', async () => {
      const store = getStore();
      const [first, second] = [await newNote(), await newNote()];
      const rows = [first, { ...first, line: '2' }, second, { ...second, line: '2' }];
      await createEach(store, 'notes', rows.toReversed());
      expect(await stored('notes', ({ item }) => item === first.item || item === second.item)).toEqual(rows);
      expect(await store.count('notes')).toBe((await allRows(store, 'notes')).length);
      await expect(store.remove('notes', first.item)).rejects.toThrow('the key of notes must be one column');
    });
  });

  interface Given {
    readonly table: string;
    readonly row: AnyRow;
  }

  describe('three tables in one batch', () => {
    /** Makes `count` items, each with a row of `kinds` of the same id and with a note on one stored item. */
    const mixed = async (count: number): Promise<Given[]> => {
      const item = nextId++;
      await getStore().create('items', { id: item, name: 'noted' });
      return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
        const { id, ...kinds } = newKinds();
        return [
          { table: 'items', row: { id, name: 'Ginkgo' } },
          { table: 'kinds', row: { id, ...kinds } },
          { table: 'notes', row: { item, line: String(index), body: 'water' } },
        ];
      });
    };
    const createAll = (rows: readonly Given[]) =>
      Promise.all(
        rows.map(({ table, row }) =>
          getStore()
            .create(table, row)
            .catch(() => `failed in ${table}`),
        ),
      );

    test('answer each create by the rows of its own table', async () => {
      const rows = await mixed(100);
      expect(tally(await createAll(rows))).toEqual({ created: 300 });
      expect(tally(await createAll(rows))).toEqual({ replayed: 300 });
      const changed = rows.map(({ table, row }) => ({
        table,
        row: table === 'items' ? { ...row, name: 'another' } : row,
      }));
      expect(await createAll(changed)).toEqual(rows.map(({ table }) => (table === 'items' ? 'conflict' : 'replayed')));
      const ids = new Set(rows.map(({ row }) => row['id']));
      const [items, kinds] = [
        await stored('items', ({ id }) => ids.has(id)),
        await stored('kinds', ({ id }) => ids.has(id)),
      ];
      expect([items.length, kinds.length]).toEqual([100, 100]);
    });

    test('keep their rows when rows of another table fail', async () => {
      const rows = await mixed(10);
      const bad = rows.map(({ table, row }) => ({ table, row: table === 'kinds' ? { ...row, number: NaN } : row }));
      expect(tally(await createAll(bad))).toEqual({ created: 20, 'failed in kinds': 10 });
      const unknown = rows.map(({ table, row }) => ({ table: table === 'kinds' ? 'nothing' : table, row }));
      expect(tally(await createAll(unknown))).toEqual({ replayed: 20, 'failed in nothing': 10 });
    });

    test('keep their rows while another table is missing', async () => {
      const rows = await mixed(10);
      await runSql(getStore(), 'alter table kinds rename to gone');
      expect(tally(await createAll(rows))).toEqual({ created: 20, 'failed in kinds': 10 });
      await runSql(getStore(), 'alter table gone rename to kinds');
      expect(tally(await createAll(rows))).toEqual({ replayed: 20, created: 10 });
      await getStore().ready();
    });
  });
}
