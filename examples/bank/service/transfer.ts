import { ConstraintViolated, withoutNulls } from 'trellis';
import { errors } from '../generated/openapi.ts';
import type { Reply, Request, Row, Tools } from './types.ts';

const MAX_BALANCE = 2n ** 63n - 1n;

/** Thrown in a transaction, which then has no effect. It has the reply to the client. */
class Refused extends Error {
  readonly reply: Reply<'transfer'>;

  constructor(number: 40915 | 40916 | 40917 | 40918 | 40919 | 40920) {
    super(errors[number].message);
    this.reply = { status: 409, body: errors[number] };
  }
}

/** Moves money. The id is the idempotency key: a repeated request gets the same answer, and moves nothing. */
export async function transfer(
  { body }: Request<'transfer'>,
  { transaction, now, settings, resources }: Tools,
): Promise<Reply<'transfer'>> {
  const { id, from_account, to_account, amount } = body;
  const at = now();
  try {
    const reply = await transaction(
      async ({ create, database, get }): Promise<Reply<'transfer'>> => {
        const creation = await create('transfers', body, { at });
        if (creation === 'conflict') return { status: 409, body: errors[40914] };
        if (creation === 'replayed') {
          const stored = await get('transfers', { id });
          if (stored === undefined) throw new Error('a transfer is gone');
          return created(stored, true);
        }
        const change = { [from_account]: -amount, [to_account]: amount };
        // All transfers update accounts in the same order, so that no two wait for each other.
        const accounts = database.selectFrom('accounts').selectAll().where('id', 'in', [from_account, to_account]);
        const [one, other] = (await accounts.orderBy('id').execute()).map(withoutNulls);
        if (one === undefined || other === undefined) throw new Refused(from_account === to_account ? 40915 : 40916);
        if (one.closed_at ?? other.closed_at) throw new Refused(40917);
        if (one.currency !== other.currency) throw new Refused(40918);
        for (const account of [one, other]) {
          const balance = account.balance + (change[account.id] ?? 0n);
          if (balance < 0n) throw new Refused(40919);
          if (balance > MAX_BALANCE) throw new Refused(40920);
          const changed = { balance, version: account.version + 1n };
          await database.updateTable('accounts').set(changed).where('id', '=', account.id).execute();
        }
        // The notice is stored with the transfer or not at all: one sent from here could be lost, or tell of a transfer
        // that has no effect.
        if (settings.NOTICE_URL !== undefined) await create('notices', { transfer: id, at });
        return created({ ...body, reference: body.reference, at }, false);
      },
      // A second run finds the transfer, and moves nothing.
      { repeatable: true },
    );
    resources.notify();
    return reply;
  } catch (error) {
    if (error instanceof Refused) return error.reply;
    if (!(error instanceof ConstraintViolated && error.constraint === 'foreign key')) throw error;
    return { status: 409, body: errors[40916] };
  }
}

function created(row: Row<'transfers'>, isReplayed: boolean): Reply<'transfer'> {
  const headers = { Location: `transfers/${row.id}` };
  return {
    status: 201,
    headers: isReplayed ? { ...headers, 'Idempotent-Replayed': true } : headers,
    body: { ...row, reference: row.reference, at: row.at.toISOString() },
  };
}
