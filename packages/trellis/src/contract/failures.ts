import { STATUS_CODES } from 'node:http';
import { isSchema } from './schema/subschemas.ts';
import type { ContractReply } from './message/content.ts';
import type { ContractOperation } from './contract.ts';
import { type Follow, type Method, type OpenApiDocument, refuse } from './schema/document.ts';
import { ErrorNumber, statusOf } from './errors.ts';
import { inWords, ReplyError } from './message/faults.ts';
import { parameterReader } from './message/parameters.ts';
import type { ErrorBody } from './types.ts';

const [JSON_TYPE, PROBLEM_TYPE] = ['application/json', 'application/problem+json'];

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
const OF_OPERATIONS = Object.values(ErrorNumber).filter((each) => !NOT_OF_OPERATIONS.includes(each));

/** Examples of the header fields that the service sends with these statuses. */
const FIELDS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer realm="api", error="invalid_token"' },
  403: { 'www-authenticate': 'Bearer realm="api", error="insufficient_scope"' },
  429: { 'retry-after': '1', ratelimit: '"caller"; r=0; t=1', 'ratelimit-policy': '"caller"; q=1; w=1' },
  503: { 'retry-after': '1' },
};
const REQUEST_ID = { 'x-request-id': '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10' };
/** Clients choose theirs: a reply has that of its request. */
const REQUEST_IDS = [...Object.values(REQUEST_ID), 'AZaz09_.~:/+=-', '1', '~'.repeat(128)];

/** Ten faults, each with the names of 32 levels and what is wrong, within the bounds of faults.ts. */
const LONGEST_MESSAGE = 'x'.repeat(32_768);
const SHOWN_MESSAGE = `… up to ${LONGEST_MESSAGE.length} characters`;

export function failureType(operation: ContractOperation | undefined, status: number): string {
  return operation && replyOf(operation, status)?.mediaType === PROBLEM_TYPE ? PROBLEM_TYPE : JSON_TYPE;
}

/** The contract's Error, or the Problem Details of RFC 9457. */
export function failureBody(error: ErrorNumber, message: string, mediaType = JSON_TYPE): object {
  if (mediaType !== PROBLEM_TYPE) return { error, message } satisfies ErrorBody;
  const status = statusOf(error);
  return { type: 'about:blank', title: STATUS_CODES[status], status, detail: message, error };
}

/** The numbers that the schema `Error` of a contract lists, with their meaning. */
export function listedNumbers({ components }: OpenApiDocument): Readonly<Record<string, string>> | undefined {
  const { Error: error = true } = components?.schemas ?? {};
  const listed = isSchema(error) ? error.properties?.['error'] : undefined;
  return isSchema(listed) ? listed['x-error-numbers'] : undefined;
}

/**
 * The numbers that a contract does not list, though the service may answer with them; none if it has no list. A contract
 * that was released before a number may lack it.
 */
export function unlistedNumbers(document: OpenApiDocument): readonly ErrorNumber[] {
  const numbers = listedNumbers(document);
  return numbers === undefined ? [] : Object.values(ErrorNumber).filter((each) => !Object.hasOwn(numbers, each));
}

/** @throws ContractError if a reply forbids an X-Request-Id that the service may send */
export function requireRequestIds(operations: readonly ContractOperation[]): void {
  for (const { method, path, replies, validator } of operations)
    for (const [status, { headers }] of replies) {
      const [name, header] = Object.entries(headers).find(([each]) => /^x-request-id$/i.test(each)) ?? [];
      if (name === undefined || header === undefined) continue;
      for (const id of REQUEST_IDS)
        try {
          validator.reply(status === 'default' ? NaN : Number(status), { [name]: id }, undefined);
        } catch (error) {
          if (!(error instanceof ReplyError)) throw error;
          // Another fault is that the body is missing here.
          const fault = error.faults.find((each) => each.path === `/headers/${name}`);
          if (fault === undefined) continue;
          const why = `clients may choose the id ${id}, but ${inWords([fault])}`;
          refuse(header, `${method} ${path}, response ${status}`, why);
        }
    }
}

/** @throws ContractError if an operation does not declare a failure that the service itself may answer */
export function requireFailures(
  { paths = {} }: OpenApiDocument,
  operations: readonly ContractOperation[],
  follow: Follow,
): void {
  for (const operation of operations) {
    const { method, path } = operation;
    const declared = paths[path]?.[method.toLowerCase() as Method] ?? {};
    const { responses = {} } = declared;
    for (const number of OF_OPERATIONS) {
      const status = statusOf(number);
      // Without a token there is no limit either.
      if (operation.security.length === 0 && [401, 403, 429].includes(status)) continue;
      const [reply, node] = [replyOf(operation, status), responses[status] ?? responses['default'] ?? declared];
      const where = `${method} ${path}`;
      if (reply === undefined)
        refuse(node, where, `the service itself answers ${status}: declare ${status} or default`);
      const mediaType = failureType(operation, status);
      if (reply.mediaType !== mediaType)
        refuse(node, where, `the service itself answers ${status}: declare it as ${JSON_TYPE} or ${PROBLEM_TYPE}`);
      try {
        const body = failureBody(number, LONGEST_MESSAGE, mediaType);
        operation.validator.reply(status, headersOf(status, reply, follow), body);
      } catch (error) {
        if (!(error instanceof ReplyError)) throw error;
        const shown = JSON.stringify(failureBody(number, SHOWN_MESSAGE, mediaType));
        refuse(
          node,
          where,
          `the service itself answers ${status} with ${shown}, which must be valid: ${error.message}`,
        );
      }
    }
  }
}

function replyOf({ replies }: ContractOperation, status: number): ContractReply | undefined {
  return replies.get(String(status)) ?? replies.get('default');
}

/** Values for those declared headers that the service sends. */
function headersOf(status: number, { headers }: ContractReply, follow: Follow): object {
  const sent = { ...REQUEST_ID, ...FIELDS[status] };
  const declared = Object.entries(headers).filter(([name]) => Object.hasOwn(sent, name.toLowerCase()));
  const parameters = declared.map(([name, header]) => ({ ...header, name, in: 'header' }) as const);
  return parameterReader('', parameters, follow)({ path: '', query: '', headers: sent }).header;
}

export function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== 'object' || body === null) return false;
  return 'error' in body && typeof body.error === 'number' && 'message' in body && typeof body.message === 'string';
}
