import { STATUS_CODES } from 'node:http';
import { inspect } from 'node:util';
import { isSchema } from './schema/subschemas.ts';
import { type ContractReply, replyFor } from './message/content.ts';
import { type ContractOperation, type Declared, readOperations } from './contract.ts';
import { type Follow, type Method, type OpenApiDocument, pathItemsOf, refuse } from './schema/document.ts';
import type { Attempt } from './schema/findings.ts';
import { ErrorNumber, Refusal, type RequestFault, statusOf } from './errors.ts';
import { inWords, ReplyError } from './message/faults.ts';
import { messageOf } from './explained-error.ts';
import { isLarge } from './schema/exact.ts';
import { exactJson } from './schema/int64.ts';
import { parameterReader } from './message/parameters.ts';
import { senderOf } from './message/sent.ts';
import { challenge, withChallenges } from './caller.ts';
import type { Demand } from './security.ts';
import type { ErrorBody } from './types.ts';

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';

/** Failures of the connection and the router: an operation need not declare them. */
const NOT_OF_OPERATIONS: readonly ErrorNumber[] = [
  ErrorNumber.pathUnknown,
  ErrorNumber.methodNotAllowed,
  ErrorNumber.requestTimeout,
  ErrorNumber.targetTooLong,
  ErrorNumber.headersTooLarge,
  ErrorNumber.codingUnknown,
  ErrorNumber.versionUnsupported,
];
/** The failures that each operation must declare. */
export const OF_OPERATIONS = Object.values(ErrorNumber).filter((each) => !NOT_OF_OPERATIONS.includes(each));

/** Examples of the header fields that the service sends with these statuses. */
const FIELDS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: challenge('error="invalid_token"'),
  403: challenge('error="insufficient_scope"'),
  429: { 'retry-after': '1', ratelimit: '"caller"; r=0; t=1', 'ratelimit-policy': '"caller"; q=1; w=1' },
  503: { 'retry-after': '1' },
};
const REQUEST_ID = { 'x-request-id': '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10' };
/** Ids that clients may choose: a reply has the id of its request. */
const REQUEST_IDS = [...Object.values(REQUEST_ID), 'AZaz09_.~:/+=-', '1', '~'.repeat(128)];

/** Longer than ten faults within the bounds of faults.ts, each with 32 names and a description. */
const LONGEST_MESSAGE = 'x'.repeat(32_768);
const SHOWN_MESSAGE = `… up to ${LONGEST_MESSAGE.length} characters`;
const LONGEST_FAULTS: readonly RequestFault[] = Array.from({ length: 10 }, () => ({
  in: 'body',
  pointer: `/${'x'.repeat(61)}`.repeat(32),
  keyword: 'unevaluatedProperties',
  message: 'x'.repeat(1100),
}));

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

type MakeBody = (failure: Failure, mediaType: string) => unknown;

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

/** Problem Details, if all bodies of failures that the operations declare are: a client then reads one shape. */
export function typeOutside(operations: readonly ContractOperation[]): string {
  const statuses = OF_OPERATIONS.map(statusOf);
  const types = new Set(
    operations.flatMap(({ replies }) => statuses.flatMap((status) => replyFor(replies, status)?.mediaType ?? [])),
  );
  return types.size === 1 && types.has(PROBLEM_TYPE) ? PROBLEM_TYPE : JSON_TYPE;
}

/** Checks each body by the contract. @param outside declares the failures outside operations, if the contract does */
function tellBy(
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
      return content === undefined ? {} : { mediaType, text: content.toJson(body) };
    } catch (cause) {
      return { cause };
    }
  };
}

/** The contract's Error, or the Problem Details of RFC 9457. */
function failureBody({ number: error, message }: Pick<Failure, 'number' | 'message'>, mediaType: string): object {
  if (mediaType !== PROBLEM_TYPE) return { error, message } satisfies ErrorBody;
  const status = statusOf(error);
  return { type: 'about:blank', title: STATUS_CODES[status], status, detail: message, error };
}

/** An operation that declares the failures outside operations, by the schema `Error` of the contract, if it has one. */
export function outsideOf(document: OpenApiDocument, mediaType: string): Declared[] {
  const schema = document.components?.schemas?.['Error'];
  if (schema === undefined) return [];
  const responses = { default: { content: { [mediaType]: { schema } } } };
  const paths = { '/': { get: { operationId: 'outside', responses } } };
  const [outside] = readOperations({ ...document, security: [], paths });
  return outside === undefined ? [] : [{ ...outside, id: 'components/schemas/Error' }];
}

/** The numbers that the schema `Error` of a contract lists, with their meaning. */
export function listedNumbers({ components }: OpenApiDocument): Readonly<Record<string, string>> | undefined {
  const { Error: error = true } = components?.schemas ?? {};
  const listed = isSchema(error) ? error.properties?.['error'] : undefined;
  return isSchema(listed) ? listed['x-error-numbers'] : undefined;
}

/**
 * The numbers with which the service may answer, but which the list of the contract lacks; none without a list. A
 * contract that was released before a number was added may lack the number.
 */
export function unlistedNumbers(document: OpenApiDocument): readonly ErrorNumber[] {
  const numbers = listedNumbers(document);
  return numbers === undefined ? [] : Object.values(ErrorNumber).filter((each) => !Object.hasOwn(numbers, each));
}

/** @throws ContractError if a reply forbids an X-Request-Id that the service may send */
export function requireRequestIds({ method, path, replies, validator }: ContractOperation): void {
  for (const [status, { headers }] of replies) {
    const [name, header] = Object.entries(headers).find(([each]) => /^x-request-id$/i.test(each)) ?? [];
    if (name === undefined || header === undefined) continue;
    for (const id of REQUEST_IDS)
      try {
        validator.reply(status, { [name]: id }, undefined);
      } catch (error) {
        if (!(error instanceof ReplyError)) throw error;
        // The missing body is a fault that does not count here.
        const fault = error.faults.find((each) => each.path === `/headers/${name}`);
        if (fault === undefined) continue;
        const why = `clients may choose the id ${id}, but ${inWords([fault])}`;
        refuse(header, `${method} ${path}, response ${status}`, why);
      }
  }
}

/**
 * @param outside declares the failures outside operations, if the contract does
 * @returns a function that words the failures
 * @throws ContractError, with `attempt`, if an operation does not declare a failure that the service itself may answer
 */
export function requireFailures(
  document: OpenApiDocument,
  operations: readonly ContractOperation[],
  follow: Follow,
  errorBody: ErrorBodyOf | undefined,
  outside: ContractOperation | undefined,
  attempt: Attempt,
): TellFailure {
  const make: MakeBody = errorBody ?? failureBody;
  const tell = tellBy(errorBody, outside, follow);
  const requireBody = (node: object, where: string, number: ErrorNumber, operation: ContractOperation) => {
    for (const faults of errorBody === undefined ? [[]] : [[], LONGEST_FAULTS]) {
      const refusal = new Refusal(number, LONGEST_MESSAGE, {}, undefined, faults);
      const id = operation === outside ? undefined : operation;
      const { cause } = tell(refusal, REQUEST_ID['x-request-id'], id);
      if (cause === undefined) continue;
      if (!(cause instanceof ReplyError)) refuse(node, where, `errorBody fails for ${number}: ${messageOf(cause)}`);
      const { mediaType = JSON_TYPE } = replyFor(operation.replies, refusal.status) ?? {};
      const failure = { status: refusal.status, number, message: SHOWN_MESSAGE, requestId: '…', faults: [] };
      const shown = shownAs(make({ ...failure, operationId: id?.id }, mediaType));
      const what = `the service itself answers ${refusal.status} with ${shown}, which must be valid: ${cause.message}`;
      refuse(node, where, what, 'errorBody');
    }
  };
  const items = new Map(pathItemsOf(document, attempt));
  for (const operation of operations)
    attempt(() => {
      const { method, path } = operation;
      const declared = items.get(path)?.[method.toLowerCase() as Method] ?? {};
      const responses = new Map(Object.entries(declared.responses ?? {}));
      const where = `${method} ${path}`;
      for (const number of OF_OPERATIONS) {
        const status = statusOf(number);
        // Without a token there is no rate limit either.
        if (operation.security.length === 0 && [401, 403, 429].includes(status)) continue;
        const node = replyFor(responses, status) ?? declared;
        const reply = replyFor(operation.replies, status);
        const what = `the service itself answers ${status}: declare`;
        if (reply === undefined) refuse(node, where, `${what} ${status} or default`);
        if (errorBody === undefined && ![JSON_TYPE, PROBLEM_TYPE, undefined].includes(reply.mediaType))
          refuse(node, where, `${what} it as ${JSON_TYPE} or ${PROBLEM_TYPE}`, 'errorBody');
        requireBody(node, where, number, operation);
      }
    });
  if (errorBody === undefined) return tellFailureAs(typeOutside(operations));
  const schema = document.components?.schemas?.['Error'];
  if (outside !== undefined && typeof schema === 'object')
    attempt(() => {
      for (const number of Object.values(ErrorNumber)) requireBody(schema, outside.id, number, outside);
    });
  return tell;
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

/** Shows a body even if it has values that JSON lacks, such as NaN. */
function shownAs(body: unknown): string {
  try {
    return exactJson(body);
  } catch {
    return inspect(body);
  }
}
