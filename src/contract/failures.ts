import { STATUS_CODES } from 'node:http';
import type { ContractOperation, ContractReply } from './contract.ts';
import { type Follow, type Method, type OpenApiDocument, refuse } from './document.ts';
import { ErrorNumber, ReplyError, statusOf } from './errors.ts';
import { parameterReader } from './parameters.ts';
import type { ErrorBody } from './types.ts';

const [JSON_TYPE, PROBLEM_TYPE] = ['application/json', 'application/problem+json'];

/** The failures that the service answers by itself, whatever an operation does. */
const OWN: readonly ErrorNumber[] = [
  ErrorNumber.malformedMessage,
  ErrorNumber.bodyMissing,
  ErrorNumber.mediaType,
  ErrorNumber.contentEncoding,
  ErrorNumber.bodyTooLarge,
  ErrorNumber.bodyNotInflatable,
  ErrorNumber.bodyNotUtf8,
  ErrorNumber.bodyNotJson,
  ErrorNumber.memberRepeated,
  ErrorNumber.contractBroken,
  ErrorNumber.tokenMissing,
  ErrorNumber.tokenInvalid,
  ErrorNumber.scopeMissing,
  ErrorNumber.tooManyRequests,
  ErrorNumber.serviceFailed,
  ErrorNumber.storeUnavailable,
  ErrorNumber.tokenUncheckable,
];

/** Header fields that such an answer always has, beside its request id. */
const FIELDS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer error="invalid_token"' },
  403: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
  429: { 'retry-after': '1', ratelimit: '"caller"; r=0; t=1', 'ratelimit-policy': '"caller"; q=1; w=1' },
  503: { 'retry-after': '1' },
};
const REQUEST_ID = { 'x-request-id': '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10' };

/** How long a message can be: ten faults, each with the names of 32 levels. */
const LONGEST_MESSAGE = 'x'.repeat(32_768);

/** The media type of a failure of an operation that the service answers by itself. */
export function failureType(operation: ContractOperation | undefined, status: number): string {
  return operation && replyOf(operation, status)?.mediaType === PROBLEM_TYPE ? PROBLEM_TYPE : JSON_TYPE;
}

/** The body of a failure: as the contract's Error, or by RFC 9457. */
export function failureBody(error: ErrorNumber, message: string, mediaType = JSON_TYPE): object {
  if (mediaType !== PROBLEM_TYPE) return { error, message } satisfies ErrorBody;
  const status = statusOf(error);
  return { type: 'about:blank', title: STATUS_CODES[status], status, detail: message, error };
}

/** @throws ContractError if an operation does not declare an answer that the service may give by itself */
export function requireFailures(
  { paths = {} }: OpenApiDocument,
  operations: readonly ContractOperation[],
  follow: Follow,
): void {
  for (const operation of operations) {
    const { method, path } = operation;
    const declared = paths[path]?.[method.toLowerCase() as Method] ?? {};
    const { responses = {} } = declared;
    for (const number of OWN) {
      const status = statusOf(number);
      if (operation.security.length === 0 && (status === 401 || status === 403)) continue;
      const [reply, node] = [replyOf(operation, status), responses[status] ?? responses['default'] ?? declared];
      const where = `${method} ${path}`;
      if (reply === undefined) refuse(node, where, `the service answers ${status} by itself: declare it, or default`);
      const mediaType = failureType(operation, status);
      if (reply.mediaType !== mediaType)
        refuse(node, where, `the service answers ${status} by itself: declare it as ${JSON_TYPE} or ${PROBLEM_TYPE}`);
      try {
        const body = failureBody(number, LONGEST_MESSAGE, mediaType);
        operation.validator.reply(status, headersOf(status, reply, follow), body);
      } catch (error) {
        if (!(error instanceof ReplyError)) throw error;
        const shown = JSON.stringify(failureBody(number, '…', mediaType));
        refuse(
          node,
          where,
          `the service answers ${status} by itself, with ${shown}, which must be valid: ${error.message}`,
        );
      }
    }
  }
}

function replyOf({ replies }: ContractOperation, status: number): ContractReply | undefined {
  return replies.get(String(status)) ?? replies.get('default');
}

/** Of the header fields that a reply declares, those that the service sends, as the validator takes them. */
function headersOf(status: number, { headers }: ContractReply, follow: Follow): object {
  const sent = { ...REQUEST_ID, ...FIELDS[status] };
  const declared = Object.entries(headers).filter(([name]) => Object.hasOwn(sent, name.toLowerCase()));
  const parameters = declared.map(([name, header]) => ({ ...header, name, in: 'header' }) as const);
  return parameterReader('', parameters, follow)({ path: '', query: '', headers: sent }).header;
}
