/**
 * The numbers of the failures that any service may answer: the HTTP status followed by two digits. `x-error-numbers` of
 * a contract lists these numbers, and those of the service's own failures.
 */
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
  // Services number their own failures from 40011 up.
  tooMuchWork: 40099,
  tokenMissing: 40100,
  tokenInvalid: 40101,
  scopeMissing: 40300,
  pathUnknown: 40400,
  methodNotAllowed: 40500,
  requestTimeout: 40800,
  targetTooLong: 41400,
  tooManyRequests: 42900,
  headersTooLarge: 43100,
  serviceFailed: 50000,
  codingUnknown: 50100,
  storeUnavailable: 50300,
  tokenUncheckable: 50301,
  versionUnsupported: 50500,
} as const;
export type ErrorNumber = (typeof ErrorNumber)[keyof typeof ErrorNumber];

export function statusOf(number: ErrorNumber): number {
  return Math.floor(number / 100);
}

/** The names of these statuses (RFC 9110, section 15; RFC 6585; RFC 9457 asks for them as titles). */
export const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  414: 'URI Too Long',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  505: 'HTTP Version Not Supported',
};

/** What is wrong with one value of a request. */
export interface RequestFault {
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** A JSON Pointer within that part: `/name` of a parameter, `/list/0/id` or '' in a body. Long names are cut. */
  readonly pointer: string;
  /** The keyword of JSON Schema that the value breaks, such as `maxLength`; '' if a parameter is given twice. */
  readonly keyword: string;
  /** Such as `must be an integer`. */
  readonly message: string;
}

/** Thrown anywhere on the way of a request to answer it with a failure. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly number: ErrorNumber;
  readonly headers: Readonly<Record<string, string>>;
  /** For the log, not for the client. */
  readonly reason: string | undefined;
  readonly faults: readonly RequestFault[];

  constructor(
    number: ErrorNumber,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    reason?: string,
    faults: readonly RequestFault[] = [],
  ) {
    // The stack is never shown, and making it takes longer than the rest of the reply.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.number = number;
    this.headers = headers;
    this.reason = reason;
    this.faults = faults;
  }

  get status(): number {
    return statusOf(this.number);
  }
}

/** @param reason for the log */
export function busy(reason?: string, retryAfterSeconds = 1): Refusal {
  const headers = { 'Retry-After': String(retryAfterSeconds) };
  return new Refusal(ErrorNumber.storeUnavailable, 'the service is busy: try again', headers, reason);
}

/** Too many requests are under way in the whole service. */
export const overloaded = busy();
