import type { components } from '../../generated/openapi.ts';
import { ExplainedError } from '../explained-error.ts';

/** The HTTP status followed by two digits: one that `x-error-numbers` of openapi.yaml lists. */
export type ErrorNumber = components['schemas']['Error']['error'];

/** The numbers that the service answers with by itself. An operation writes its own where it answers. */
export const ErrorNumber = {
  malformedMessage: 40001,
  bodyMissing: 40002,
  mediaType: 40003,
  contentEncoding: 40004,
  bodyTooLarge: 40005,
  bodyNotInflatable: 40006,
  bodyNotUtf8: 40007,
  bodyNotJson: 40008,
  memberRepeated: 40009,
  contractBroken: 40010,
  tokenMissing: 40100,
  tokenInvalid: 40101,
  scopeMissing: 40300,
  pathUnknown: 40400,
  methodNotAllowed: 40500,
  requestTimeout: 40800,
  tooManyRequests: 42900,
  headersTooLarge: 43100,
  serviceFailed: 50000,
  storeUnavailable: 50300,
  tokenUncheckable: 50301,
} as const satisfies Readonly<Record<string, ErrorNumber>>;

export function statusOf(number: ErrorNumber): number {
  return Math.floor(number / 100);
}

/** A failure that the client is told about, thrown from anywhere on the way of a request. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly number: ErrorNumber;
  readonly headers: Readonly<Record<string, string>>;
  /** What the client is not told: for the log only. */
  readonly reason: string | undefined;

  constructor(number: ErrorNumber, message: string, headers: Readonly<Record<string, string>> = {}, reason?: string) {
    // Without a stack, which is never shown, and takes longer than the rest of such a reply.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.number = number;
    this.headers = headers;
    this.reason = reason;
  }

  get status(): number {
    return statusOf(this.number);
  }
}

/** @param reason what there is too much of, for the log @param seconds after which the client may try again */
export function busy(reason?: string, seconds = 1): Refusal {
  const headers = { 'Retry-After': String(seconds) };
  return new Refusal(ErrorNumber.storeUnavailable, 'the service is busy, try again', headers, reason);
}

/** Too many requests are under way, whatever this one is. */
export const overloaded = busy();

/** A reply breaks the contract: a fault of the service. The message is for the log. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError';
}

/** The contract cannot be held to: openapi.yaml is broken, or asks for what this service does not do. */
export class ContractError extends ExplainedError {
  override readonly name = 'ContractError';
}
