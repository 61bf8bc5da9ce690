import type { Logger } from 'pino';
import { type ErrorBody, type RequestData, toldIn } from 'trellis-contract';
import { ErrorNumber, exactJson, messageOf } from 'trellis-contract/ground';
import type { Shared } from '../service.ts';
import { ConstraintViolated, StoreUnavailable, StoreUnusable, ValueRefused } from '../storage/store-errors.ts';
import type { Creation, Queries } from '../storage/queries.ts';
import { Turns } from '../storage/turns.ts';
import { isRepeatable, type Records } from './records.ts';

/** The most transactions at once: each waits for its turn in the store, which fails those that wait too long. */
const MAX_TRANSACTIONS = 64;

/** What became of a record, with the reason if it is not stored. */
export type Outcome =
  { readonly became: 'created' | 'replayed' } | { readonly became: 'conflict' | 'refused'; readonly reason: ErrorBody };
export const CREATED: Outcome = { became: 'created' };
const REPLAYED: Outcome = { became: 'replayed' };

/** Answers with StoreUnavailable if a retry may succeed. @throws StoreUnusable */
export type RunRecord = (request: RequestData) => Promise<Outcome | StoreUnavailable>;

/** Runs the operation that creates a record as for a client, without a caller. */
export function runnerOf({ table, key, operate }: Records, shared: Shared, log: Logger): RunRecord {
  const turns = new Turns(MAX_TRANSACTIONS, Infinity);
  let hasFailed = false;
  const tools = {
    ...shared,
    caller: undefined,
    log,
    // No client goes away: what has begun is finished, also after Ctrl-C.
    signal: new AbortController().signal,
  };
  return async (request) => {
    // The first creation in the table: an operation may create other rows too.
    let creation: Creation | undefined;
    const unavailable = (error: StoreUnavailable): Outcome | StoreUnavailable =>
      isRepeatable(key, request.body)
        ? error
        : {
            became: 'refused',
            reason: failure(
              `${error.message}; the row may be stored, and the service makes its key: look for it before you import the record again`,
            ),
          };
    const remember = ({ create, ...others }: Queries): Queries => ({
      ...others,
      create: async (...args) => {
        const answer = await create(...args);
        if (args[0] === table) creation ??= answer;
        return answer;
      },
    });
    const transaction: Shared['transaction'] = (work, options) => {
      const before = creation;
      const again: typeof work = (queries) => {
        creation = before;
        return work(remember(queries));
      };
      return turns.run(() => shared.transaction(again, options));
    };
    try {
      const { status, body } = await operate(request, { ...tools, ...remember(shared), transaction });
      if (status < 400) return creation === 'replayed' ? REPLAYED : CREATED;
      const shown = body === undefined ? '' : `: ${exactJson(body)}`;
      const reason = { ...failure(`the operation answers ${status}${shown}`), ...toldIn(body) };
      if (status === 503) return unavailable(new StoreUnavailable(reason.message));
      return { became: creation === 'conflict' ? 'conflict' : 'refused', reason };
    } catch (error) {
      if (error instanceof StoreUnavailable) return unavailable(error);
      if (error instanceof StoreUnusable) throw error;
      if (error instanceof ValueRefused)
        return { became: 'refused', reason: { error: ErrorNumber.contractBroken, message: messageOf(error) } };
      if (error instanceof ConstraintViolated)
        return { became: 'refused', reason: failure(`the store rejects the record: ${messageOf(error)}`) };
      // Logged once, as the operation may fail for each of a million records.
      if (!hasFailed) log.error({ err: error }, 'the operation failed');
      hasFailed = true;
      return { became: 'refused', reason: failure(`the operation failed: ${messageOf(error)}`) };
    }
  };
}

function failure(message: string): ErrorBody {
  return { error: ErrorNumber.serviceFailed, message };
}
