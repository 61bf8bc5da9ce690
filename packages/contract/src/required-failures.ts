import { inspect } from 'node:util';
import {
  type AnySchema,
  type Follow,
  type Method,
  type OpenApiDocument,
  pathItemsOf,
  refuse,
} from './schema/document.ts';
import type { Attempt } from './schema/findings.ts';
import { exactJson } from './schema/int64.ts';
import { type ContractReply, replyFor } from './message/content.ts';
import { inWords, ReplyError } from './message/faults.ts';
import type { ContractOperation, Declared } from './message/operation.ts';
import { readOperations } from './contract.ts';
import { messageOf } from './explained-error.ts';
import {
  type ErrorBodyOf,
  failureBody,
  JSON_TYPE,
  type MakeBody,
  PROBLEM_TYPE,
  REQUEST_ID,
  REQUEST_IDS,
  tellBy,
  type TellFailure,
  tellFailureAs,
} from './failures.ts';
import { type Compilers, compiles } from './validator/operations.ts';
import { ErrorNumber, Refusal, type RequestFault, statusOf } from './refusal.ts';

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

/** Longer than ten faults within the bounds of faults.ts, each with 32 names and a description. */
const LONGEST_MESSAGE = 'x'.repeat(32_768);
const SHOWN_MESSAGE = `… up to ${LONGEST_MESSAGE.length} characters`;
const LONGEST_FAULTS: readonly RequestFault[] = Array.from({ length: 10 }, () => ({
  in: 'body',
  pointer: `/${'x'.repeat(61)}`.repeat(32),
  keyword: 'unevaluatedProperties',
  message: 'x'.repeat(1100),
}));

/** Problem Details, if all bodies of failures that the operations declare are: a client then reads one shape. */
export function typeOutside(operations: readonly ContractOperation[]): string {
  const statuses = OF_OPERATIONS.map(statusOf);
  const types = new Set(
    operations.flatMap(({ replies }) => statuses.flatMap((status) => replyFor(replies, status)?.mediaType ?? [])),
  );
  return types.size === 1 && types.has(PROBLEM_TYPE) ? PROBLEM_TYPE : JSON_TYPE;
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

/**
 * @param compilers of replies: the header alone is judged, as to judge a whole reply compiles all of it once more
 * @throws ContractError, with `attempt`, if a reply forbids an X-Request-Id that the service may send
 */
export function requireRequestIds(
  operations: readonly ContractOperation[],
  { translation, compile }: Compilers['reply'],
  attempt: Attempt,
): void {
  const known = new Map<object, string | undefined>();
  const whyNot = (name: string, schema: AnySchema): string | undefined => {
    const component = translation.component(
      translation.schema({ properties: { headers: { properties: { [name]: schema } } } }),
    );
    const find = compile(component);
    for (const id of REQUEST_IDS) {
      const [fault] = find.first({ headers: { [name]: id } }) ?? [];
      if (fault !== undefined) return `clients may choose the id ${id}, but ${inWords([fault])}`;
    }
    return undefined;
  };
  for (const { method, path, replies } of operations)
    attempt(() => {
      for (const [status, { headers }] of replies) {
        const [name, header] = Object.entries(headers).find(([each]) => /^x-request-id$/i.test(each)) ?? [];
        if (name === undefined || header === undefined) continue;
        const why = known.getOrInsertComputed(header, () => compiles(path, () => whyNot(name, header.schema)));
        if (why !== undefined) refuse(header, `${method} ${path}, response ${status}`, why);
      }
    });
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
  /** The failures that fit a reply. An `errorBody` may make another body for each operation, and is always tried. */
  const fitting = new Map<ContractReply, Set<string>>();
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
        const failures = fitting.getOrInsertComputed(reply, () => new Set());
        const failure = [number, ...operation.carriers].join();
        if (failures.has(failure)) continue;
        requireBody(node, where, number, operation);
        if (errorBody === undefined) failures.add(failure);
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

/** Shows a body even if it has values that JSON lacks, such as NaN. */
function shownAs(body: unknown): string {
  try {
    return exactJson(body);
  } catch {
    return inspect(body);
  }
}
