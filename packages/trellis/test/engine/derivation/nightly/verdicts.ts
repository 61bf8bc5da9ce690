import type { Contract, ContractOperation } from '../../../../../contract/src/message/operation.ts';
import { Refusal } from '../../../../../contract/src/refusal.ts';
import { ReplyError } from '../../../../../contract/src/message/faults.ts';
import { exactJson } from '../../../../../contract/src/schema/int64.ts';
import { Position } from '../../../../../contract/src/schema/positions.ts';
import { follower } from '../../../../../contract/src/schema/document.ts';
import { validateRequest } from '../../../../../contract/src/request.ts';
import { returned } from '../../../../../contract/tools/compatibility/editions.ts';
import { Derivation, type DerivedRequest } from '../../../../../contract/tools/derivation/messages.ts';
import { isNumber, isObject, type JsonObject } from '../../../../../contract/tools/derivation/values.ts';
import { wireOf } from '../../../../../contract/tools/derivation/wire.ts';
import { spell } from '../../../../testing/derived/spelling.ts';
import { judgeRequest, readings, type Verdict } from '../../../../testing/derived/judge.ts';
import { judgeOf } from '../../../support/judge.ts';

/** How the service and the judge agree on the messages that are derived from a contract. */
export interface Agreement {
  /** Messages with their verdicts, where these differ. */
  readonly wrong: string[];
  readonly counts: { kept: number; refused: number; /** The judge computes with doubles. */ unjudged: number };
}

export async function agreementOn(contract: Contract): Promise<Agreement> {
  const agreement: Agreement = { wrong: [], counts: { kept: 0, refused: 0, unjudged: 0 } };
  const derivation = new Derivation(contract.document);
  for (const operation of contract.operations) {
    for (const { mediaType, schema, messages } of derivation.ofRequests(operation)) {
      const judge = await judgeOf(schema, derivation.requests.document);
      for (const message of messages) {
        for (const choices of [undefined, [1, 0, 2, 1, 3]]) {
          const service = () => {
            readBack(message, operation, mediaType, choices);
          };
          record(agreement, `${operation.id}, request`, message.parts, judgeRequest(judge), service);
        }
      }
    }
    for (const { status, schema, messages } of derivation.ofReplies(operation)) {
      const judge = await judgeOf(schema, derivation.replies.document);
      const position = new Position(schema, follower(derivation.replies.document));
      for (const reply of messages) {
        const { headers, body } = returned(reply as unknown as JsonObject, position) as {
          headers: object;
          body?: unknown;
        };
        const code = status === 'default' ? 599 : Number(status);
        record(agreement, `${operation.id}, reply ${status}`, reply, judge, () => {
          operation.validator.reply(code, headers, body);
        });
      }
    }
  }
  return agreement;
}

function record(agreement: Agreement, where: string, message: object, judge: Verdict, service: () => void): void {
  const { wrong, counts } = agreement;
  const isRefused = isRefusedBy(service, (what) => wrong.push(`${where}: ${exactJson(message)}: ${what}`));
  if (isRounded(message)) {
    counts.unjudged++;
    return;
  }
  const faults = judge(message);
  counts[isRefused ? 'refused' : 'kept']++;
  if (isRefused === faults.length > 0) return;
  const text = exactJson(message);
  // The judge takes the remainder of doubles, by which -1 is no multiple of 0.01.
  if (faults.join() === 'multipleOf' && text.includes('"multipleOf":-1}')) return;
  wrong.push(`${where}: ${text}: ${isRefused ? 'refused, and valid' : `kept, and breaks ${faults.join()}`}`);
}

function isRefusedBy(service: () => void, report: (what: string) => void): boolean {
  try {
    service();
    return false;
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof ReplyError)) report(String(error));
    return true;
  }
}

/** Makes the service read a request. @throws Refusal, or Error if it has read another value than the one sent */
function readBack(
  { parts }: DerivedRequest,
  operation: ContractOperation,
  mediaType: string | undefined,
  choices: readonly number[] | undefined,
): void {
  const wire = wireOf(operation, mediaType, parts, choices && ((value) => spell(value, choices)));
  if (wire === undefined) throw new Error('it cannot be sent');
  // http/body.ts refuses a request without its body before it is validated.
  if (wire.body === undefined && operation.body?.required === true) throw new Refusal(40001, 'no body');
  const read = validateRequest(wire.sent, wire.body, operation);
  const isKept = operation.parameters.every(({ in: part, name }) => {
    const sent = parts[part][name];
    return sent === undefined || readings(sent).some((each) => isIn(each, read[part][name]));
  });
  if (!isKept || !isIn(parts.body, read.body)) throw new Error(`it becomes ${exactJson(read)}`);
}

/** Whether the service has read what was sent; it may have added defaults. */
function isIn(sent: unknown, read: unknown): boolean {
  // The service reads an integer outside int64 as a number.
  if (typeof sent === 'bigint' && BigInt.asIntN(64, sent) !== sent) return Number(sent) === read;
  if (isNumber(sent) && isNumber(read)) return !(sent < read) && !(sent > read);
  if (Array.isArray(sent))
    return Array.isArray(read) && sent.length === read.length && sent.every((each, at) => isIn(each, read[at]));
  if (!isObject(sent)) return sent === read;
  return isObject(read) && Object.entries(sent).every(([name, each]) => isIn(each, read[name]));
}

/** Whether the value has a number that may have been rounded as a double. */
function isRounded(value: unknown): boolean {
  if (isNumber(value)) return Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER;
  return typeof value === 'object' && value !== null && Object.values(value).some(isRounded);
}
