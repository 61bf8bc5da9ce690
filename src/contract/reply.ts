import type { ServerResponse } from 'node:http';
import { validateHeaderValue } from 'node:http';
import type { ContractOperation } from './contract.ts';
import { OUT_OF_RANGE, standIn } from './int64.ts';
import type { Position } from './positions.ts';
import type { HeaderValues } from './send.ts';
import { send } from './send.ts';
import type { OperationValidator } from './validator.ts';

/** What an operation answers, as `Reply` in types.ts has it. */
export interface ReplyData {
  readonly status: number;
  readonly headers?: HeaderValues;
  readonly body?: unknown;
}

/**
 * Holds a reply to the contract, then sends it.
 *
 * @throws Error that names what breaks the contract; nothing is sent then
 */
export async function sendReply(
  response: ServerResponse,
  reply: ReplyData,
  operation: ContractOperation,
  validator: OperationValidator,
): Promise<void> {
  const { status, headers = {}, body } = reply;
  const declared = operation.replies.get(String(status));
  if (declared === undefined)
    throw new Error(`${operation.id} answered ${String(status)}, which the contract does not declare`);
  const { mediaType, position } = declared;
  checkHeaders(operation.id, headers, declared.headers);
  await validator.reply(status, position === undefined ? body : withStandIns(body, position));
  const text = body === undefined ? undefined : toJson(body, position);
  send(response, status, headers, mediaType, text);
}

function checkHeaders(id: string, headers: HeaderValues, declared: ReadonlyMap<string, boolean>): void {
  const sent = new Set<string>();
  for (const [field, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    // What Node would refuse later, with some of the headers set.
    validateHeaderValue(field, String(value));
    const name = field.toLowerCase();
    sent.add(name);
    if (!declared.has(name))
      throw new Error(`${id} answered with the header ${name}, which the contract does not declare`);
  }
  for (const [name, required] of declared) {
    if (required && !sent.has(name))
      throw new Error(`${id} answered without the header ${name}, which the contract requires`);
  }
}

/** The value as the validator can judge it: doubles for int64. A number there may have been rounded already. */
function withStandIns(value: unknown, position: Position): unknown {
  if (position.int64 && typeof value === 'bigint') return standIn(value);
  if (position.int64 && typeof value === 'number' && !Number.isSafeInteger(value)) return OUT_OF_RANGE;
  if (Array.isArray(value)) return value.map((item) => withStandIns(item, position.items()));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withStandIns(each, position.member(name))]),
  );
}

function toJson(body: unknown, position: Position | undefined): string {
  if (position === undefined) return JSON.stringify(body);
  return JSON.stringify(body, (_name, value: unknown) =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
  );
}
