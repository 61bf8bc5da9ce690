import { isLarge } from './schema/exact.ts';
import type { Follow } from './schema/document.ts';
import { exactJson } from './schema/int64.ts';
import { type ContractReply, replyFor } from './message/content.ts';
import { parameterReader } from './message/parameters.ts';
import { senderOf } from './message/sent.ts';
import { challenge, withChallenges } from './schemes.ts';
import type { ContractOperation, Demand } from './message/operation.ts';
import { type ErrorNumber, PHRASES, type Refusal, type RequestFault, statusOf } from './refusal.ts';
import type { ErrorBody } from './types.ts';

export const JSON_TYPE = 'application/json';
export const PROBLEM_TYPE = 'application/problem+json';

/** Examples of the header fields that the service sends with these statuses. */
const FIELDS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: challenge('error="invalid_token"'),
  403: challenge('error="insufficient_scope"'),
  429: { 'retry-after': '1', ratelimit: '"caller"; r=0; t=1', 'ratelimit-policy': '"caller"; q=1; w=1' },
  503: { 'retry-after': '1' },
};
export const REQUEST_ID = { 'x-request-id': '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10' };
/** Ids that clients may choose: a reply has the id of its request. */
export const REQUEST_IDS = [...Object.values(REQUEST_ID), 'AZaz09_.~:/+=-', '1', '~'.repeat(128)];

/** A failure that the service itself answers. */
export interface Failure {
  readonly status: number;
  /** The status followed by two digits, one of `ErrorNumber`. */
  readonly number: ErrorNumber;
  /** For a reader: the fault and its cure, in English. */
  readonly message: string;
  readonly requestId: string;
  /** The faults of a request that breaks the contract, at most ten. */
  readonly faults: readonly RequestFault[];
  /** undefined if no operation matches the request, or if the request was refused before its operation was known. */
  readonly operationId: string | undefined;
}

/** Makes each failure's body, in place of `{ error, message }` and Problem Details, without waiting or effects. */
export type ErrorBodyOf = (failure: Failure) => unknown;

export type MakeBody = (failure: Failure, mediaType: string) => unknown;

/** What the client gets for a failure. `cause`: the error that kept the body from being made. */
interface Told {
  readonly mediaType?: string;
  readonly text?: string;
  readonly cause?: unknown;
}
export type TellFailure = (refusal: Refusal, requestId: string, operation?: ContractOperation) => Told;

/**
 * Words the failures of a service without an `errorBody`: the start has compared their bodies with the contract.
 *
 * @param outside the media type of those that no operation declares
 */
export const tellFailureAs =
  (outside: string): TellFailure =>
  (refusal, _requestId, operation) => {
    const reply = operation && replyFor(operation.replies, refusal.status);
    if (reply !== undefined && reply.content === undefined) return {};
    const mediaType = reply === undefined ? outside : reply.mediaType === PROBLEM_TYPE ? PROBLEM_TYPE : JSON_TYPE;
    return { mediaType, text: JSON.stringify(failureBody(refusal, mediaType)) };
  };
export const tellFailure = tellFailureAs(JSON_TYPE);

/** Checks each body by the contract. @param outside declares the failures outside operations, if the contract does */
export function tellBy(
  errorBody: ErrorBodyOf | undefined,
  outside: ContractOperation | undefined,
  follow: Follow,
): TellFailure {
  const make: MakeBody = errorBody ?? failureBody;
  const sentAny = (body: unknown) => senderOf(follow)(body, true, undefined);
  /** Values of the headers that a reply declares, by operation and status. */
  const headers = new Map<string, object>();
  return ({ status, number, message, faults }, requestId, operation) => {
    const own = operation && replyFor(operation.replies, status);
    const judge = own === undefined ? outside : operation;
    const reply = judge && replyFor(judge.replies, status);
    const { mediaType = JSON_TYPE, content } = reply ?? {};
    try {
      const hasNone = own !== undefined && content === undefined;
      if (content?.kind === 'bytes') throw new Error(`a failure of the service cannot be bytes, such as ${mediaType}`);
      const failure = { status, number, message, requestId, faults, operationId: operation?.id };
      const made = hasNone ? undefined : make(failure, mediaType);
      // A rejection does not matter: an errorBody must not return a promise.
      if (made instanceof Promise) made.catch(() => undefined);
      if (made instanceof Promise || (made === undefined && !hasNone)) throw new Error('it must return a body at once');
      const copied = errorBody === undefined || hasNone ? undefined : (content?.sent ?? sentAny)(made);
      const { body, work } = copied ?? { body: made, work: undefined };
      if (judge === undefined || reply === undefined) return { mediaType, text: exactJson(body) };
      const sent = headers.getOrInsertComputed(`${judge.id} ${status}`, () => headersOf(status, judge, reply, follow));
      judge.validator.reply(status, sent, body, work);
      return content === undefined ? {} : { mediaType, text: String(content.write(body)) };
    } catch (cause) {
      return { cause };
    }
  };
}

/** The contract's Error, or the Problem Details of RFC 9457. */
export function failureBody(
  { number: error, message }: Pick<Failure, 'number' | 'message'>,
  mediaType: string,
): object {
  if (mediaType !== PROBLEM_TYPE) return { error, message } satisfies ErrorBody;
  const status = statusOf(error);
  return { type: 'about:blank', title: PHRASES[status], status, detail: message, error };
}

/** Values of the declared headers that the service itself sends. */
function headersOf(status: number, { carriers }: Demand, { headers }: ContractReply, follow: Follow): object {
  const fields = Object.entries({ ...REQUEST_ID, ...withChallenges(FIELDS[status] ?? {}, carriers) });
  const sent = Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));
  const declared = Object.entries(headers).filter(([name]) => Object.hasOwn(sent, name.toLowerCase()));
  const parameters = declared.map(([name, header]) => ({ ...header, name, in: 'header' }) as const);
  return parameterReader('', parameters, follow)({ path: '', query: '', headers: sent }).header;
}

/** The number and the message of a failure that an operation returns, where its body has those of the framework. */
export function toldIn(body: unknown): Partial<ErrorBody> {
  const { error, message }: { readonly error?: unknown; readonly message?: unknown } = isLarge(body) ? body : {};
  return { ...(typeof error === 'number' && { error }), ...(typeof message === 'string' && { message }) };
}
