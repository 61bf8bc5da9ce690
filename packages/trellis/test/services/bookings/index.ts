import type { Service } from 'trellis';
import { createBooking } from './createBooking.ts';
import type { ErrorNumber, operations } from './generated/openapi.ts';
import { resources } from './resources.ts';
import { steps } from './steps.ts';
import { tables } from './tables.ts';
import type { Reply, Request, Tools } from './types.ts';

async function countBookings(_: Request<'countBookings'>, { database }: Tools): Promise<Reply<'countBookings'>> {
  const count = async (table: keyof typeof tables) => {
    const query = database.selectFrom(table).select(({ fn }) => fn.countAll<bigint>().as('count'));
    return (await query.executeTakeFirstOrThrow()).count;
  };
  return { status: 200, body: { bookings: await count('bookings'), keys: await count('keys') } };
}

/** The service of the recipe for an Idempotency-Key in docs/idempotency-key.md. */
export const service = {
  name: 'bookings',
  marker: 'book',
  contract: new URL('openapi.yaml', import.meta.url),
  tables,
  steps,
  operations: { createBooking, countBookings },
  records: {},
  resources,
} satisfies Service<operations, typeof tables, ErrorNumber, undefined, typeof resources>;
