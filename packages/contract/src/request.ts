import type { ContractOperation, RequestData } from './message/operation.ts';
import { ErrorNumber, Refusal } from './refusal.ts';
import type { ContractContent } from './message/content.ts';
import { type Holder, parseJson } from './message/json.ts';
import { tooMuchWork } from './message/faults.ts';
import type { SentRequest } from './message/parameters.ts';
import { leaveOut, type Tell } from './message/undeclared.ts';
import { begin, budget, end, Overspent, workFor } from './schema/budget.ts';
import { explained } from './schema/overspent.ts';

/** The parameters of a request that has none. */
const NONE = Object.freeze(Object.create(null) as Record<string, unknown>);

/** JSON, or a text. */
export interface TextBody {
  /** A media type that the contract declares. */
  readonly mediaType: string;
  readonly text: string;
}

/** Bytes, or a body whose JSON is read already. */
export interface ReadBody {
  readonly mediaType: string;
  readonly value: Holder | Uint8Array;
}

export type MessageBody = TextBody | ReadBody;

/** A request that is not validated yet. */
export interface ReadRequest {
  readonly request: RequestData;
  /** The media type of the body. */
  readonly mediaType: string | undefined;
  /** The work that the check of the request may take (budget.ts). */
  readonly work: number;
}

/**
 * Makes a request with a record as its body: JSON, or a value that was read already.
 *
 * @param tell gets the name of each member that is left out
 * @throws Refusal
 */
export function readRecord(body: string | Holder, operation: ContractOperation, tell?: Tell): RequestData {
  const [mediaType = ''] = operation.body?.types.keys() ?? [];
  const sent = { path: operation.path, query: '', headers: {} };
  const content = typeof body === 'string' ? { text: body } : { value: body };
  return validateRequest(sent, { mediaType, ...content }, operation, tell);
}

/** @throws Refusal if the request breaks the contract */
export function validateRequest(
  sent: SentRequest,
  body: MessageBody | undefined,
  operation: ContractOperation,
  tell?: Tell,
): RequestData {
  const read = readValues(sent, body, operation);
  requireValid(read, operation, tell);
  return read.request;
}

/** @throws Refusal if the parameters or the JSON of the body cannot be read */
export function readValues(
  sent: SentRequest,
  body: MessageBody | undefined,
  operation: ContractOperation,
): ReadRequest {
  const hasNone = operation.parameters.length === 0 && sent.query === '';
  const types = operation.body?.types;
  const content = body && types?.get(body.mediaType);
  const bytes =
    body && 'text' in body ? body.text.length : content?.kind === 'bytes' ? 0 : (operation.body?.maxBytes ?? 0);
  begin(workFor(bytes));
  try {
    const { path, query, header } = hasNone
      ? { path: NONE, query: NONE, header: NONE }
      : operation.readParameters(sent);
    const value = body && ('text' in body ? readText(body.text, content) : body.value);
    const mediaType = body?.mediaType;
    const request = { path, query, header, body: value };
    const isOfSeveral = types !== undefined && types.size > 1;
    return { request: isOfSeveral ? { ...request, contentType: mediaType } : request, mediaType, work: budget.left };
  } catch (error) {
    throw asRefusal(error);
  } finally {
    end();
  }
}

function readText(text: string, content: ContractContent | undefined): unknown {
  return content?.kind === 'text' ? text : parseJson(text, content?.position);
}

function asRefusal(error: unknown): unknown {
  return error instanceof Overspent ? tooMuchWork(explained(error)) : error;
}

/**
 * Validates the request, leaves out what no schema names, and fills in the defaults. An operation must not get a request
 * that these two make invalid: minProperties counts members, and dependentRequired asks for some.
 *
 * @param tell gets the name of each member that is left out of the body
 * @throws Refusal if the request breaks the contract
 */
export function requireValid(
  { request, mediaType, work }: ReadRequest,
  operation: ContractOperation,
  tell?: Tell,
): void {
  const left = operation.validator.request(request, mediaType, work);
  const { values } = operation;
  const content = mediaType === undefined ? undefined : operation.body?.types.get(mediaType);
  if (!changes(values) && !changes(content)) return;
  const { path, query, header, body } = request;
  const parameters = { path, query, header };
  const leaveOthersOut = (tellLeft?: Tell) =>
    [leaveOut(parameters, values.outline), leaveOut(body, content?.outline, tellLeft)].includes(true);
  let hadOthers, isFilledIn;
  begin(left);
  try {
    hadOthers = leaveOthersOut(tell);
    isFilledIn = [values.position?.fillIn(parameters), content?.position?.fillIn(body)].includes(true);
    // A default may have such members too, which the client has not sent.
    if (isFilledIn) leaveOthersOut();
  } catch (error) {
    throw asRefusal(error);
  } finally {
    end();
  }
  if (!hadOthers && !isFilledIn) return;
  try {
    operation.validator.request(request, mediaType, budget.rest);
  } catch (error) {
    if (!(error instanceof Refusal) || error.number !== ErrorNumber.contractBroken) throw error;
    const how = [hadOthers && 'without the members that the contract does not name', isFilledIn && 'with its defaults'];
    const message = `${how.filter(Boolean).join(' and ')}, the request breaks the contract: ${error.message}`;
    throw new Refusal(error.number, message, {}, undefined, error.faults);
  }
}

/** Whether a valid value may get defaults, or lose members that no schema names. */
function changes(content: ContractContent | undefined): boolean {
  return content?.outline !== undefined || content?.position?.mayFillIn === true;
}

export function notUtf8(): Refusal {
  return new Refusal(ErrorNumber.bodyNotUtf8, 'body is not UTF-8');
}

/** @param maxBytes 0 for an operation without a requestBody */
export function tooLarge(maxBytes: number): Refusal {
  if (maxBytes === 0) return new Refusal(ErrorNumber.contractBroken, 'body is not allowed');
  return new Refusal(ErrorNumber.bodyTooLarge, `body is larger than ${maxBytes} bytes`);
}
