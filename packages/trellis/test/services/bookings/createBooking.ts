import { randomUUID } from 'node:crypto';
import type { Reply, Request, Tools } from './types.ts';

export async function createBooking(
  { header, body }: Request<'createBooking'>,
  { transaction, caller, now }: Tools,
): Promise<Reply<'createBooking'>> {
  const key = { caller: caller?.key ?? '', key: header['Idempotency-Key'] };
  const booking = { ...body, id: randomUUID() };
  return await transaction(
    async ({ create, get }): Promise<Reply<'createBooking'>> => {
      const request = { ...key, operation: 'createBooking', request: body };
      const creation = await create('keys', request, { reply: booking, at: now() });
      if (creation === 'conflict')
        return { status: 422, body: { error: 42201, message: 'another request has this key' } };
      if (creation === 'created') {
        await create('bookings', booking);
        return { status: 201, body: booking };
      }
      const { reply } = (await get('keys', key)) ?? {};
      if (reply === undefined) throw new Error('a key is gone');
      return { status: 201, headers: { 'Idempotent-Replayed': true }, body: reply };
    },
    { repeatable: true },
  );
}
