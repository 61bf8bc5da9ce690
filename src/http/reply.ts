import { validateHeaderValue } from 'node:http';
import type { Response } from 'express';
import type { ContractOperation, ContractReply } from '../contract/contract.ts';
import { exactJson } from '../contract/exact-json.ts';
import { OUT_OF_RANGE, standIn } from '../contract/int64.ts';
import type { Position } from '../contract/positions.ts';
import type { HeaderValues } from './send.ts';
import { send } from './send.ts';
import type { OperationValidator } from '../contract/validator.ts';

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
export function sendReply(
  response: Response,
  reply: ReplyData,
  operation: ContractOperation,
  validator: OperationValidator,
): void {
  const { status, headers = {}, body } = reply;
  const declared = operation.replies.get(String(status));
  if (declared === undefined)
    throw new Error(`${operation.id} answered ${String(status)}, which the contract does not declare`);
  const { mediaType, position } = declared;
  checkHeaders(status, headers, declared, validator);
  validator.reply(status, position === undefined ? body : withStandIns(body, position));
  // The replacer of exactJson costs time that only replies with an int64 must spend.
  const toJson = position === undefined ? JSON.stringify : exactJson;
  const text = body === undefined ? undefined : toJson(body);
  send(response, status, headers, mediaType, text);
}

function checkHeaders(
  status: number,
  headers: HeaderValues,
  { headersRequired }: ContractReply,
  validator: OperationValidator,
): void {
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
  if (sent.length === 0 && !headersRequired) return;
  const shown = sent.map(([name, value]) => {
    // What Node would refuse later, with some of the headers set.
    validateHeaderValue(name, String(value));
    return [name.toLowerCase(), typeof value === 'bigint' ? standIn(value) : value] as const;
  });
  validator.replyHeaders(status, Object.fromEntries(shown));
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
