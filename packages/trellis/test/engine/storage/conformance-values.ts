import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { expressionBuilder } from 'kysely';
import { ExplainedError } from '../../../../contract/src/explained-error.ts';
import type { Queried, Row as RowOf } from '../../../src/storage/tables.ts';
import type { Queries } from '../../../src/storage/queries.ts';
import type { Store } from '../../../src/storage/store.ts';
import { Json } from '../../../src/storage/values.ts';
import { insist } from '../../support/insist.ts';
import type { tables } from '../../services/items/tables.ts';

type Kinds = RowOf<(typeof tables)['kinds']>;
type Own = Queries<typeof tables>;

let nextId = 4_000_000n;

const newKinds = (changes: Partial<Kinds> = {}): Kinds => ({
  id: nextId++,
  text: 'x',
  int64: 0n,
  int32: 0,
  number: 0,
  boolean: false,
  timestamp: new Date('2026-02-01T00:00:00Z'),
  bytes: new Uint8Array([0]),
  json: { count: 0 },
  ...changes,
});
const day = (at: Date) => at.getUTCDate();

/** Tests that a store copies its arguments when it is called, and returns values that only the caller has. */
export function testValues(getStore: () => Store): void {
  const transaction = <T>(work: (own: Own) => Promise<T>) => getStore().transaction<T>(work as never);
  const rowOf = async (id: bigint, { database } = getStore() as unknown as Own) =>
    await database.selectFrom('kinds').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const rowsOf = (ids: readonly bigint[]) => Promise.all(ids.map((id) => rowOf(id)));

  describe('the values of a query', () => {
    test.each(['outside a transaction', 'inside a transaction'])(
      'a query takes its values as they are at the call, %s',
      async (where) => {
        const at = new Date('2026-02-01T00:00:00Z');
        const bytes = new Uint8Array([0]);
        const list = [0];
        const rows = [0, 1, 2].map(() => newKinds({ timestamp: at, bytes, json: list }));
        const createAll = ({ create }: Own) =>
          Promise.all(
            rows.map((row) => {
              const created = create('kinds', row);
              at.setUTCDate(day(at) + 1);
              bytes[0] = (bytes[0] ?? 0) + 1;
              list.push(list.length);
              return created;
            }),
          );
        const own = getStore() as unknown as Own;
        const created = await (where.startsWith('inside') ? transaction(createAll) : createAll(own));
        expect(created).toEqual(['created', 'created', 'created']);
        const stored = await rowsOf(rows.map(({ id }) => id));
        expect(stored.map(({ timestamp, bytes: [byte], json }) => [day(timestamp), byte, json])).toEqual([
          [1, 0, [0]],
          [2, 1, [0, 1]],
          [3, 2, [0, 1, 2]],
        ]);
      },
    );

    test('a query that is awaited later takes its values as they are at the call', async () => {
      const row = newKinds();
      await getStore().create('kinds', row);
      await transaction(async ({ database }) => {
        const json = { count: 1 };
        const query = database.updateTable('kinds').set({ json }).where('id', '=', row.id).execute();
        json.count = 2;
        await query;
      });
      expect((await rowOf(row.id)).json).toEqual({ count: 1 });
    });
  });

  describe('the rows that a query returns', () => {
    test('may be changed by the function of a transaction, and no update is lost', async () => {
      const row = newKinds();
      await getStore().create('kinds', row);
      const addOne = () =>
        transaction(async (own) => {
          const { json, timestamp } = await rowOf(row.id, own);
          (json as { count: number }).count++;
          timestamp.setUTCDate(day(timestamp) + 1);
          await own.database.updateTable('kinds').set({ json, timestamp }).where('id', '=', row.id).execute();
        });
      await Promise.all(Array.from({ length: 16 }, () => insist(addOne)));
      const { json, timestamp } = await rowOf(row.id);
      expect([json, day(timestamp)]).toEqual([{ count: 16 }, 17]);
    });

    test('may be changed without another run of the function', async () => {
      const row = newKinds();
      await getStore().create('kinds', row);
      let runs = 0;
      await transaction(async (own) => {
        runs++;
        const { json, bytes } = await rowOf(row.id, own);
        bytes.fill(9);
        Object.assign(json, { seen: true });
        await own.database.updateTable('kinds').set({ text: 'y' }).where('id', '=', row.id).execute();
      });
      expect(runs).toBe(1);
    });
  });

  describe('a column of JSON', () => {
    const values: readonly [string, () => object, unknown][] = [
      ['a URL', () => new URL('https://a.example/b'), 'https://a.example/b'],
      ['a date', () => ({ at: new Date('2026-02-01T00:00:00Z') }), { at: '2026-02-01T00:00:00.000Z' }],
      ['an object with a method', () => ({ a: 1, method: () => 2 }), { a: 1 }],
      ['an object with toJSON', () => ({ a: 1, toJSON: () => ({ b: 2 }) }), { b: 2 }],
    ];
    test.each(values)('stores %s as JSON.stringify does, and recognises it', async (_what, make, expected) => {
      const [row, beside] = [newKinds(), newKinds()];
      const create = () => getStore().create('kinds', { ...row, json: make() });
      expect(await Promise.all([create(), getStore().create('kinds', beside)])).toEqual(['created', 'created']);
      expect(await create()).toBe('replayed');
      expect(await transaction((own) => own.create('kinds', { ...row, json: make() }))).toBe('replayed');
      expect((await rowOf(row.id)).json).toEqual(expected);
    });
  });

  describe('the same on each engine:', () => {
    test('an int32 beyond its range is refused', async () => {
      const row = newKinds({ int32: 2 ** 40 });
      await expect(getStore().create('kinds', row)).rejects.toThrow();
      await expect(transaction((own) => own.create('kinds', row))).rejects.toThrow();
      const { json: _, json_or_null: __, ...others } = row;
      const insert = transaction(({ database }) =>
        database
          .insertInto('kinds')
          .values({ ...others, json: {} })
          .execute(),
      );
      await expect(insert).rejects.toThrow();
      await getStore().create('kinds', { ...row, int32: 1 });
      expect(await getStore().create('kinds', row)).toBe('conflict');
      expect(await transaction((own) => own.create('kinds', row))).toBe('conflict');
    });

    const { eb } = expressionBuilder<Queried<typeof tables>, 'kinds'>();
    test.each([
      ['an int32 above its range', { int32: 2 ** 31 }],
      ['an int32 below its range, in a column that may be null', { int32_or_null: -(2 ** 31) - 1 }],
      ['an int32 that the query computes', { int32: eb('kinds.int32', '+', 1) }],
      ['an int64 that the query computes', { int64: eb('kinds.int64', '+', 1n) }],
      ['a number that the query computes', { number: eb('kinds.number', '*', -2) }],
    ])('an update beyond the range of its column is refused, and changes nothing: %s', async (_what, beyond) => {
      const largest = { int64: 2n ** 63n - 1n, int32: 2 ** 31 - 1, number: Number.MAX_VALUE };
      const row = { ...newKinds(largest), json: {}, json_or_null: null };
      await getStore().create('kinds', row);
      const update = ({ database }: Own) =>
        database.updateTable('kinds').set(beyond).where('id', '=', row.id).execute() as Promise<unknown>;
      const insert = ({ database }: Own) =>
        database
          .insertInto('kinds')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet(beyond))
          .execute() as Promise<unknown>;
      const own = getStore() as unknown as Own;
      for (const refused of [update, insert].flatMap((ask) => [() => ask(own), () => transaction(ask)]))
        await expect(refused()).rejects.not.toBeInstanceOf(ExplainedError);
      expect(await rowOf(row.id)).toMatchObject(row);
    });

    test('an update to the last value of the range is kept', async () => {
      const row = newKinds();
      await getStore().create('kinds', row);
      const last = { int32: 2 ** 31 - 1, int32_or_null: -(2 ** 31), number: Number.MAX_VALUE, number_or_null: null };
      await (getStore() as unknown as Own).database.updateTable('kinds').set(last).where('id', '=', row.id).execute();
      expect(await rowOf(row.id)).toMatchObject(last);
    });

    test.each<[string, object | number, string]>([
      ['a text with a lone surrogate', { list: ['lone \\ \ud800'] }, 'a lone surrogate'],
      ['a name with a lone surrogate', { '\udfff': 1 }, 'a lone surrogate'],
      ['NaN', NaN, 'JSON has no NaN'],
      ['NaN in a list', [1, NaN], 'JSON has no NaN'],
      ['a function', () => 1, 'JSON has no function'],
      ['a text with U+0000', { list: ['a \\ \0'] }, 'a text has U+0000, which cannot be stored'],
      ['a name with U+0000', { '\0': 1 }, 'a text has U+0000, which cannot be stored'],
    ])('%s is refused in a column of JSON', async (_what, json, why) => {
      const { create, database } = getStore() as unknown as Own;
      await expect(create('kinds', newKinds({ json }))).rejects.toThrow(why);
      const row = newKinds({ json: { text: '\\ud800 \\u0000 🌱' } });
      expect(await create('kinds', row)).toBe('created');
      const update = async () => {
        const set = { json: new Json(json) };
        await database.updateTable('kinds').set(set).where('id', '=', row.id).execute();
      };
      await expect(update()).rejects.toThrow(why);
      expect((await rowOf(row.id)).json).toEqual(row.json);
    });

    test('a text with U+0000 is refused as a value of the client, by a create and by each query', async () => {
      const { create, database } = getStore() as unknown as Own;
      const refused = { name: 'ValueRefused', message: 'a text has U+0000, which cannot be stored' };
      const text = 'a\0b';
      await expect(create('kinds', newKinds({ text }))).rejects.toMatchObject(refused);
      await expect(transaction((own) => own.create('kinds', newKinds({ text })))).rejects.toMatchObject(refused);
      const found = database.selectFrom('kinds').select('id').where('text', '=', text);
      await expect(found.execute()).rejects.toMatchObject(refused);
      await expect(database.updateTable('kinds').set({ text }).execute()).rejects.toMatchObject(refused);
    });

    test('a text with U+0000 is refused as a fault of the service, in a column that the service adds', async () => {
      const { create } = getStore() as unknown as Own;
      const { text, ...row } = newKinds();
      const refused = create('kinds', row, { text: `${text}\0` });
      await expect(refused).rejects.toMatchObject({
        name: 'Error',
        message: 'the column text of "kinds", which the service adds: a text has U+0000, which cannot be stored',
      });
    });

    test('a key is refused that is longer than the index of PostgreSQL takes', async () => {
      const { create } = getStore() as unknown as Own;
      // Random letters, which PostgreSQL cannot compress.
      const text = (length: number) => randomBytes(length).toString('hex').slice(0, length);
      const member = {
        email: '',
        level: 'guest',
        tags: [],
        joined_at: new Date(0),
        left_at: undefined,
        version: 1n,
      } as const;
      const refused = { name: 'ValueRefused', message: 'a key has more than the 2692 bytes that can be stored' };
      for (const id of [text(2693), '🌱'.repeat(674)])
        await expect(create('members', { ...member, id })).rejects.toMatchObject(refused);
      for (const id of [text(2692), '🌱'.repeat(673)])
        expect(await create('members', { ...member, id, email: id.slice(0, 100) })).toBe('created');
      const note = { item: nextId++, body: '' };
      await create('items', { id: note.item, name: 'x', tag: undefined });
      expect(await create('notes', { ...note, line: text(2676) })).toBe('created');
      await expect(create('notes', { ...note, line: text(2677) })).rejects.toMatchObject(refused);
    });

    test('a number for an integer column, or a bigint for a number, is the same row as in the type of the column', async () => {
      const { create } = getStore() as unknown as Own;
      const row = newKinds({ int64: 5n, int32: 6, number: 7 });
      const others = { int64: 5, int32: 6n, number: 7n } as unknown as typeof row;
      expect(await create('kinds', { ...row, ...others })).toBe('created');
      expect(await create('kinds', { ...row, ...others })).toBe('replayed');
      expect(await create('kinds', row)).toBe('replayed');
    });

    test.each<[keyof Kinds, unknown, string]>([
      ['int64', 2 ** 53, 'a bigint, not a number'],
      ['int64', '5', 'a bigint, not a string'],
      ['int32', '5', 'a number, not a string'],
      ['number', true, 'a number, not a boolean'],
      ['text', 5, 'a string, not a number'],
      ['boolean', 1, 'a boolean, not a number'],
      ['timestamp', '2026-02-01T00:00:00Z', 'a Date, not a string'],
      ['bytes', 'x', 'a Uint8Array, not a string'],
    ])('a create is refused whose %s is %p', async (column, value, why) => {
      const creating = getStore().create('kinds', { ...newKinds(), [column]: value });
      await expect(creating).rejects.toThrow(`the column ${column} of "kinds" takes ${why}`);
    });

    test('a value that no column can have fails its own query only', async () => {
      const [wrong, right] = [newKinds({ text: (() => 'x') as never }), newKinds()];
      const [first, second] = await Promise.allSettled([
        getStore().create('kinds', wrong),
        getStore().create('kinds', right),
      ]);
      expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
    });
  });
}
