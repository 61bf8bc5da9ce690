import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { runSql } from '../../support/app.ts';
import { insist } from '../../support/insist.ts';
import type { Database, Queries } from '../../../src/storage/queries.ts';
import type { Store } from '../../../src/storage/store.ts';

let nextId = 1_000_000n;

/** Tests that queries and transactions do the same on every engine. @param open opens the same store once more */
export function testQueries(getStore: () => Store, open: () => Promise<Store>, spreads: boolean): void {
  const insert = async (database: Database, name: string) => {
    const id = nextId++;
    await database.insertInto('items').values({ id, name }).execute();
    return id;
  };
  const nameOf = async (id: bigint, database: Database = getStore().database) => {
    const found = await database.selectFrom('items').select('name').where('id', '=', id).executeTakeFirst();
    return found?.name;
  };
  const addOne = async (id: bigint, database: Database) => {
    const name = String(Number(await nameOf(id, database)) + 1);
    await database.updateTable('items').set({ name }).where('id', '=', id).execute();
  };

  describe('a query', () => {
    test('may contain the same value twice, and returns the number of rows that it writes', async () => {
      const { database } = getStore();
      const ids = [await insert(database, 'twice'), await insert(database, 'twice')];
      const named = database.updateTable('items').set({ name: 'twice', tag: 'twice' }).where('name', '=', 'twice');
      expect(await named.executeTakeFirstOrThrow()).toEqual({ numUpdatedRows: 2n });
      const found = database.selectFrom('items').select('id').where('name', '=', 'twice').where('tag', '=', 'twice');
      expect(await found.orderBy('id').execute()).toEqual(ids.map((id) => ({ id })));
      const deleted = database.deleteFrom('items').where('name', '=', 'twice').returning('id');
      expect(await deleted.execute()).toHaveLength(2);
    });

    test('reads the row that the previous query has written', async () => {
      const { database } = getStore();
      for (let times = 0; times < 50; times++) expect(await nameOf(await insert(database, 'seen'))).toBe('seen');
    });

    test('fails for a lone surrogate, NaN or an invalid date, and the next query succeeds', async () => {
      const { database } = getStore();
      await expect(insert(database, 'lone \ud800')).rejects.toThrow('a lone surrogate');
      const select = (value: unknown) =>
        database
          .selectFrom('items')
          .select(sql`${value}`.as('value'))
          .execute();
      await expect(select(NaN)).rejects.toThrow('NaN cannot be stored');
      await expect(select(new Date(NaN))).rejects.toThrow('a timestamp must be in the years 1 to 9999');
      expect(await nameOf(await insert(database, 'x'))).toBe('x');
    });

    test('finds no row by an empty `in` list, and every row by an empty `not in` list, also in a subquery', async () => {
      const { database } = getStore();
      const id = await insert(database, 'x');
      const found = database.selectFrom('items').select('id').where('id', '=', id);
      expect(await found.where('id', 'in', []).execute()).toEqual([]);
      expect(await found.where('id', 'not in', []).execute()).toEqual([{ id }]);
      const items = database.selectFrom('items').select('id');
      const none = items.where('id', 'in', []);
      expect(await found.where('id', 'in', none).execute()).toEqual([]);
      expect(await found.where('id', 'in', items.where('id', 'not in', none)).execute()).toEqual([{ id }]);
      expect(await found.where(({ eb }) => eb(none.limit(1), 'is', null)).execute()).toEqual([{ id }]);
    });

    test.each<[string, (database: Database) => { execute: () => Promise<unknown> }, string]>([
      [
        'a negative limit',
        (database) => database.selectFrom('items').select('id').limit(-1),
        'the limit -1 is negative',
      ],
      [
        'a negative offset',
        (database) => database.selectFrom('items').select('id').limit(1).offset(-20n),
        'the offset -20 is negative',
      ],
      [
        '`any` of a list',
        (database) => {
          const list = [1n, 2n];
          return database
            .selectFrom('items')
            .select('id')
            .where(sql<boolean>`id = any(${list})`);
        },
        'only PostgreSQL knows `any` of a list: use `in`',
      ],
      ['an unknown table', (database) => database.selectFrom('nothing').selectAll(), 'nothing'],
    ])('with %s fails, and its stack has the frame of the operation', async (_what, make, why) => {
      const operation = async (database: Database) => await make(database).execute();
      const failing = operation(getStore().database);
      await expect(failing).rejects.toThrow(why);
      const { stack } = (await failing.catch((error: unknown) => error as Error)) as Error;
      expect(stack).toMatch(/conformance-queries\.ts/);
    });

    test('fails with the kind of the constraint that it violates', async () => {
      const { database } = getStore();
      const run = (statement: string) => runSql(getStore(), statement);
      await run(
        'create table held (id integer primary key, above integer references held, size integer check (size > 0))',
      );
      await run('create table named (name text not null unique)');
      const broken = (constraint: string) => ({ name: 'ConstraintViolated', constraint });
      const id = await insert(database, 'x');
      const again = database.insertInto('items').values({ id, name: 'y' }).execute();
      await expect(again).rejects.toMatchObject(broken('unique'));
      await expect(run('insert into held values (1, 2, 1)')).rejects.toMatchObject(broken('foreign key'));
      await expect(run('insert into held values (1, null, 0)')).rejects.toMatchObject(broken('check'));
      await expect(run('insert into named values (null)')).rejects.toMatchObject(broken('not null'));
      await run("insert into named values ('x')");
      await expect(run("insert into named values ('x')")).rejects.toMatchObject(broken('unique'));
      await run('insert into held values (1, null, 1), (2, 1, 1)');
      await expect(run('delete from held where id = 1')).rejects.toMatchObject(broken('foreign key'));
      expect(await nameOf(id)).toBe('x');
      await run('drop table held');
      await run('drop table named');
    });
  });

  // No transaction may use items that are spread.
  if (spreads) return;
  describe('a transaction', () => {
    test('reads its own writes, which other queries read only after the commit', async () => {
      const { transaction } = getStore();
      const other = await open();
      // Opens its connection: a transaction of SQLite waits for nothing else for long.
      await nameOf(1n, other.database);
      const id = await transaction(async ({ database }) => {
        const written = await insert(database, 'inside');
        expect(await nameOf(written, database)).toBe('inside');
        expect(await nameOf(written, other.database)).toBeUndefined();
        return written;
      });
      expect(await nameOf(id, other.database)).toBe('inside');
      await other.close();
    });

    test('rolls back when its work throws, and rejects with the same error', async () => {
      const store = getStore();
      const { transaction } = store;
      const before = await store.count('items');
      const reason = new Error('sabotage');
      const work = async ({ database }: Queries) => {
        await insert(database, 'undone');
        throw reason;
      };
      await expect(transaction(work)).rejects.toBe(reason);
      const breaks = async ({ database }: Queries) => {
        const id = await insert(database, 'undone');
        await database.insertInto('items').values({ id, name: 'again' }).execute();
      };
      await expect(transaction(breaks)).rejects.toMatchObject({ name: 'ConstraintViolated', constraint: 'unique' });
      expect(await store.count('items')).toBe(before);
    });

    test('runs no more queries after a query has failed, and settles none', async () => {
      const { database, transaction } = getStore();
      const id = await insert(database, 'there');
      const [isOver, asked] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      let settled = 'never';
      const note = () => {
        settled = 'late';
      };
      const fails = transaction(async ({ database: own }) => {
        void isOver.promise.then(() => {
          void insert(own, 'asked after the end').then(note, note);
          asked.resolve(undefined);
        });
        // The function does not await this query.
        void own.insertInto('items').values({ id, name: 'again' }).execute().then(note, note);
        await insert(own, 'beside a failure');
        await new Promise(() => undefined);
      });
      await expect(fails).rejects.toMatchObject({ name: 'ConstraintViolated' });
      isOver.resolve(undefined);
      await asked.promise;
      const { length } = await database
        .selectFrom('items')
        .select('id')
        .where('name', 'in', ['asked after the end', 'beside a failure'])
        .execute();
      expect([length, settled]).toEqual([0, 'never']);
    });

    test('refuses a query after its commit', async () => {
      const { transaction } = getStore();
      const { database: own } = await transaction((queries) => Promise.resolve(queries));
      const before = await getStore().count('items');
      await expect(insert(own, 'late')).rejects.toThrow('the transaction is over');
      expect(await getStore().count('items')).toBe(before);
    });

    test('rejects each call in its work that does not use its own database object', async () => {
      const store = getStore();
      const { database, transaction } = store;
      const before = await store.count('items');
      for (const ask of [
        () => insert(database, 'outside'),
        () => store.create('items', { id: nextId++, name: 'outside' }),
        () => store.remove('items', 1n),
        () => transaction(({ database: inner }) => insert(inner, 'outside')),
      ]) {
        const asking = transaction(async ({ database: own }) => {
          await insert(own, 'undone');
          await ask();
        });
        await expect(asking).rejects.toThrow(
          'inside a transaction, use only `create`, `get` and `database` that your function receives',
        );
      }
      expect(await store.count('items')).toBe(before);
      await insert(database, 'free again');
    });

    test('is rolled back when its work takes too long, and waiting creates then succeed', async () => {
      const store = getStore();
      const { transaction } = store;
      const deferred = () => Promise.withResolvers<undefined>();
      const [begun, over, late] = [deferred(), deferred(), deferred()];
      const ids = { undone: nextId++, created: nextId++ };
      const hangs = transaction(async ({ database }) => {
        await database.insertInto('items').values({ id: ids.undone, name: 'undone' }).execute();
        begun.resolve(undefined);
        await over.promise;
        // The run is over: this query never settles, like one that is under way when the run ends.
        void insert(database, 'too late');
        late.resolve(undefined);
      });
      await begun.promise;
      const created = store.create('items', { id: ids.created, name: 'x' });
      await expect(hangs).rejects.toThrow(/^a transaction (?:took too long|held the store without a query)/);
      over.resolve(undefined);
      expect(await created).toBe('created');
      expect(await store.create('items', { id: ids.undone, name: 'free' })).toBe('created');
      await late.promise;
      expect(await store.database.selectFrom('items').select('id').where('name', '=', 'too late').execute()).toEqual(
        [],
      );
    });

    test.each([
      ['one opening', () => Promise.resolve(undefined)],
      ['two openings', open],
    ])('loses none of twelve concurrent updates of a row, through %s of the store', async (_count, openOther) => {
      const store = getStore();
      const other = await openOther();
      const id = await insert(store.database, '0');
      const works = Array.from({ length: 12 }, (_, index) =>
        insist(() => (index % 2 === 0 ? store : (other ?? store)).transaction(({ database }) => addOne(id, database))),
      );
      await Promise.all(works);
      await other?.close();
      expect(await nameOf(id)).toBe('12');
    });

    test('succeeds when another transaction updates the same two rows in the opposite order', async () => {
      const { database, transaction } = getStore();
      const ids = [await insert(database, '0'), await insert(database, '0')];
      const add = (order: readonly bigint[]) =>
        transaction(async ({ database: own }) => {
          for (const id of order) await addOne(id, own);
        });
      await Promise.all([add(ids), add(ids.toReversed())]);
      expect(await Promise.all(ids.map((id) => nameOf(id)))).toEqual(['2', '2']);
    });

    test('runs while 100 creates succeed', async () => {
      const store = getStore();
      const { transaction } = store;
      const ids = Array.from({ length: 100 }, () => nextId++);
      const creations = ids.map((id) => store.create('items', { id, name: 'beside' }));
      await Promise.all([transaction(({ database }) => insert(database, 'beside')), ...creations]);
      expect(new Set(await Promise.all(creations))).toEqual(new Set(['created']));
    });
  });
}
