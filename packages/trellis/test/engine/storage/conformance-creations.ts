import { describe, expect, test } from '@jest/globals';
import { insist } from '../../support/insist.ts';
import type { Queries, Transaction } from '../../../src/storage/queries.ts';
import type { Store } from '../../../src/storage/store.ts';
import { runSql } from '../../support/app.ts';
import type { tables } from '../../services/items/tables.ts';

type Own = Pick<Store, 'remove'> & Queries<typeof tables> & { readonly transaction: Transaction<typeof tables> };

const JOINED = new Date('2026-02-01T12:00:00.001Z');

let nextId = 1;
/** The columns of a member that a client sends. */
const newMember = () => {
  const id = `member ${nextId++}`;
  return { id, email: `${id}@example.org`, level: 'guest', tags: ['a', '"'] } as const;
};
const added = (version = 1n, joined_at = JOINED) => ({ version, joined_at, left_at: null });

/**
 * Tests `create` for a table with columns that only the service knows and with a second unique index, outside a
 * transaction and within one. @param open opens the same store once more @param spreads whether items are spread
 */
export function testCreations(getStore: () => Store, open: () => Promise<Store>, spreads: boolean): void {
  // The start has compared the tables with their descriptions.
  const typed = (store: Store) => store as unknown as Own;
  const find = async (id: string) =>
    await typed(getStore()).database.selectFrom('members').selectAll().where('id', '=', id).executeTakeFirst();
  const within = (creating: (queries: Queries<typeof tables>) => Promise<unknown>) =>
    typed(getStore()).transaction(creating);

  describe.each([
    [
      'outside a transaction',
      (creating: (queries: Queries<typeof tables>) => Promise<unknown>) => creating(typed(getStore())),
    ],
    ['within a transaction', within],
  ])('create, %s,', (where, run) => {
    /** Where no transaction may use items, there is no test of a transaction that does. */
    const testItems = spreads && where.startsWith('within') ? () => undefined : test;

    test('stores what the client sent and what the service adds', async () => {
      const member = newMember();
      expect(await run(({ create }) => create('members', member, added()))).toBe('created');
      expect(await find(member.id)).toEqual({ ...member, version: 1n, joined_at: JOINED, left_at: null });
    });

    test('replays a row whatever the service adds to it, and keeps what it added first', async () => {
      const member = newMember();
      await run(({ create }) => create('members', member, added()));
      const later = added(2n, new Date(0));
      expect(await run(({ create }) => create('members', member, later))).toBe('replayed');
      expect(await find(member.id)).toMatchObject(added());
    });

    test.each([
      ['version', { version: 7n, left_at: new Date(0) }, 'replayed'],
      ['level', { level: 'regular' }, 'conflict'],
      ['tags', { tags: ['b'] }, 'conflict'],
    ] as const)(
      'answers, after a change of the %s, as if that row had come first',
      async (_column, change, outcome) => {
        const member = newMember();
        await run(({ create }) => create('members', member, added()));
        await run(({ database }) => database.updateTable('members').set(change).where('id', '=', member.id).execute());
        expect(await run(({ create }) => create('members', member, added()))).toBe(outcome);
        expect(await find(member.id)).toMatchObject(change);
      },
    );

    test('fails when a unique index other than the key has the value already, and stores nothing', async () => {
      const [member, other] = [newMember(), newMember()];
      await run(({ create }) => create('members', member, added()));
      const taken = run(({ create }) => create('members', { ...other, email: member.email }, added()));
      await expect(taken).rejects.toMatchObject({ name: 'ConstraintViolated', constraint: 'unique' });
      expect(await find(other.id)).toBeUndefined();
      const both = run(({ create }) => create('members', { ...member, level: 'regular' }, added()));
      expect(await both).toBe('conflict');
    });

    test('fails when a member is no column, which the compiler does not see in untyped data', async () => {
      const { id, ...others } = newMember();
      const untyped: Readonly<Record<string, unknown>> = { colour: 'red' };
      const member = { id, ...others, ...untyped };
      await expect(run(({ create }) => create('members', member, added()))).rejects.toThrow(
        '"members" has no column colour',
      );
      expect(await find(id)).toBeUndefined();
    });

    testItems('fails when a foreign key leads nowhere, and the next row is stored', async () => {
      const item = 4_000_000n + BigInt(nextId++);
      const note = { item, line: 'a', body: 'x' };
      await expect(run(({ create }) => create('notes', note))).rejects.toMatchObject({ constraint: 'foreign key' });
      await run(({ create }) => create('items', { id: item, name: 'x', tag: undefined }));
      expect(await run(({ create }) => create('notes', note))).toBe('created');
      expect(await run(({ create }) => create('notes', { ...note, body: 'y' }))).toBe('conflict');
    });
  });

  describe('create, beside other creates,', () => {
    test('stores one of 50 equal rows and one of 50 different ones with the same key, whatever is added', async () => {
      const other = await open();
      const stores = [typed(getStore()), typed(other)] as const;
      const create = (index: number, tags: readonly string[], member: ReturnType<typeof newMember>) =>
        (stores[index % 2] ?? stores[0]).create('members', { ...member, tags }, added(BigInt(index)));
      const [equal, different] = [newMember(), newMember()];
      const equals = await Promise.all(Array.from({ length: 50 }, (_, index) => create(index, ['a'], equal)));
      const others = await Promise.all(
        Array.from({ length: 50 }, (_, index) => create(index, [`${index}`], different)),
      );
      await other.close();
      expect(equals.toSorted()).toEqual(['created', ...Array.from({ length: 49 }, () => 'replayed')]);
      expect(others.toSorted()).toEqual([...Array.from({ length: 49 }, () => 'conflict'), 'created']);
    });

    test('fails alone in its batch when a unique index other than the key forbids the row', async () => {
      const { create } = typed(getStore());
      const [first, ...members] = Array.from({ length: 10 }, newMember);
      const outcomes = await Promise.allSettled([
        ...[first, ...members].map((member) => create('members', member ?? newMember(), added())),
        create('members', { ...newMember(), email: first?.email ?? '' }, added()),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        ...Array.from({ length: 10 }, () => 'fulfilled'),
        'rejected',
      ]);
    });
  });

  describe('create, within a transaction,', () => {
    const testItems = spreads ? () => undefined : test;
    testItems('takes effect with the other writes of the transaction, or not at all', async () => {
      const kept = newMember();
      const undone = newMember();
      const item = 4_000_000n + BigInt(nextId++);
      const both = (member: typeof kept, fails: boolean) =>
        within(async ({ create, database }) => {
          await database
            .insertInto('items')
            .values({ id: item + (fails ? 1_000_000n : 0n), name: 'x' })
            .execute();
          await create('members', member, added());
          if (fails) throw new Error('sabotage');
        });
      await both(kept, false);
      await expect(both(undone, true)).rejects.toThrow('sabotage');
      expect(await find(kept.id)).toBeDefined();
      expect(await find(undone.id)).toBeUndefined();
      expect(await getStore().remove('items', item)).toBe(true);
      expect(await getStore().remove('items', item + 1_000_000n)).toBe(false);
    });

    test.each([
      ['catches the error', true],
      ['does not wait for it', false],
    ])('rolls the transaction back when it fails, even when the work %s', async (_name, waits) => {
      const [member, other] = [newMember(), newMember()];
      await within(({ create }) => create('members', member, added()));
      const work = within(async ({ create }) => {
        await create('members', other, added());
        const failing = create('members', { ...newMember(), email: member.email }, added()).catch(() => undefined);
        if (waits) await failing;
      });
      await expect(work).rejects.toMatchObject({ name: 'ConstraintViolated', constraint: 'unique' });
      expect(await find(other.id)).toBeUndefined();
    });

    test('is refused after the commit', async () => {
      const queries = await typed(getStore()).transaction((own) => Promise.resolve(own));
      await expect(queries.create('members', newMember(), added())).rejects.toThrow('the transaction is over');
    });

    test('creates one of twelve equal rows that as many transactions create at once', async () => {
      // Repeated, because only transactions that meet in the middle of an insert break the other unique index.
      for (let times = 0; times < 20; times++) {
        const member = newMember();
        const creations = Array.from({ length: 12 }, (_, index) =>
          insist(() => within(({ create }) => create('members', member, added(BigInt(index))))),
        );
        const outcomes = (await Promise.all(creations)) as string[];
        expect(outcomes.toSorted()).toEqual(['created', ...Array.from({ length: 11 }, () => 'replayed')]);
      }
    });
  });

  test('a query takes a list of JSON as it is, and a text of JSON as Json', async () => {
    const member = newMember();
    const { create, database } = typed(getStore());
    await create('members', member, added());
    await database
      .updateTable('members')
      .set({ tags: ['c', '\u00fc'] })
      .where('id', '=', member.id)
      .execute();
    expect((await find(member.id))?.tags).toEqual(['c', '\u00fc']);
    const { id, email } = newMember();
    const row = { id, email, level: 'guest', tags: [], joined_at: JOINED, version: 1n } as const;
    await database.insertInto('members').values(row).execute();
    expect((await find(id))?.tags).toEqual([]);
    expect(await runSql(getStore(), `select count(*) as count from members where id = '${id}'`)).toHaveLength(1);
  });
}
