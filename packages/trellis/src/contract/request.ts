import type { ContractOperation, RequestData } from './contract.ts';
import { ErrorNumber, Refusal } from './errors.ts';
import { type Holder, parseJson } from './message/json.ts';
import type { SentRequest } from './message/parameters.ts';
import { workFor } from './schema/budget.ts';

/** The parameters of a request that has none. */
const NONE = Object.freeze(Object.create(null) as Record<string, unknown>);

export interface Body {
  /** A media type that the contract declares. */
  readonly mediaType: string;
  readonly text: string;
}

/** A body whose JSON is read already. */
interface ReadBody {
  readonly mediaType: string;
  readonly value: Holder;
}

/** Makes a request of a record, which is its body: JSON, or a value that is read. @throws Refusal */
export function readRecord(body: string | Holder, operation: ContractOperation): RequestData {
  const [mediaType = ''] = operation.body?.types.keys() ?? [];
  const sent = { path: operation.path, query: '', headers: {} };
  const content = typeof body === 'string' ? { text: body } : { value: body };
  return validateRequest(sent, { mediaType, ...content }, operation);
}

/** @throws Refusal if the request breaks the contract */
export function validateRequest(
  sent: SentRequest,
  body: Body | ReadBody | undefined,
  operation: ContractOperation,
): RequestData {
  const hasNone = operation.parameters.length === 0 && sent.query === '';
  const { path, query, header } = hasNone ? { path: NONE, query: NONE, header: NONE } : operation.readParameters(sent);
  const position = body && operation.body?.types.get(body.mediaType)?.position;
  const value = body && ('text' in body ? parseJson(body.text, position) : body.value);
  const request = { path, query, header, body: value };
  const bytes = body && 'text' in body ? body.text.length : (operation.body?.maxBytes ?? 0);
  const left = operation.validator.request(request, body?.mediaType, workFor(bytes));
  const inParameters = operation.values.position?.fillIn({ path, query, header }) === true;
  const inBody = position?.fillIn(request.body) === true;
  if (inParameters || inBody) requireFilledIn(request, operation, body?.mediaType, left);
  return request;
}

/** A default may break a rule about other members, such as dependentRequired: the operation must not get this. */
function requireFilledIn(
  request: RequestData,
  { validator }: ContractOperation,
  mediaType: string | undefined,
  work: number,
): void {
  try {
    validator.request(request, mediaType, work);
  } catch (error) {
    if (!(error instanceof Refusal) || error.number !== ErrorNumber.contractBroken) throw error;
    const message = `with its defaults, the request breaks the contract: ${error.message}`;
    throw new Refusal(error.number, message, {}, undefined, error.faults);
  }
}

export function notUtf8(): Refusal {
  return new Refusal(ErrorNumber.bodyNotUtf8, 'body is not UTF-8');
}

/** @param maxBytes 0 for an operation without a requestBody */
export function tooLarge(maxBytes: number): Refusal {
  if (maxBytes === 0) return new Refusal(ErrorNumber.contractBroken, 'body is not allowed');
  return new Refusal(ErrorNumber.bodyTooLarge, `body is larger than ${maxBytes} bytes`);
}
