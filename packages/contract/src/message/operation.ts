import type { OpenApiDocument, Parameter } from '../schema/document.ts';
import type { ContractContent, ContractReply } from './content.ts';
import type { ParameterValues, SentRequest } from './parameters.ts';

// What the contract says of an operation: who may call it, what it reads, and what it replies.

/** What an operation asks of the token of a request. */
export interface Demand {
  /** Alternatives: a token needs all scopes of one of them. Without alternatives, the operation looks at no token. */
  readonly security: readonly (readonly string[])[];
  /** Whether a request without a token is served. */
  readonly anonymous: boolean;
  /** The header fields that may have the token: `Authorization` for a bearer token, or those of API keys. */
  readonly carriers: readonly string[];
}

export interface Contract {
  readonly yaml: string;
  readonly document: OpenApiDocument;
  /** The path in `servers`, which stands before all paths: '' or such as `/api/v1`. */
  readonly basePath: string;
  /** The first operation whose path matches a request applies. */
  readonly operations: readonly ContractOperation[];
}

export interface ContractOperation extends Demand {
  readonly id: string;
  /** The place of the operation, for messages, such as `openapi.yaml:12:5, get /items`. */
  readonly place: string;
  readonly summary: string | undefined;
  /** In capitals, such as `GET`. */
  readonly method: string;
  /** The path template, such as `/items/{id}`. */
  readonly path: string;
  /** The parameters, without those that OpenAPI ignores. */
  readonly parameters: readonly Parameter[];
  /** @throws Refusal */
  readonly readParameters: (sent: SentRequest) => ParameterValues;
  /** The schema, with its position, of the object that `readParameters` returns. */
  readonly values: ContractContent;
  readonly body: ContractBody | undefined;
  /** The key is the status as declared: `200`, `default`. */
  readonly replies: ReadonlyMap<string, ContractReply>;
  readonly validator: OperationValidator;
}

/** The type that each `Request` of types.ts extends. */
export interface RequestData extends ParameterValues {
  readonly body: unknown;
  /** The media type of the body, where the operation declares several. */
  readonly contentType?: string | undefined;
}

/** The values of header fields by name; undefined: the field is not sent. */
export type HeaderValues = Readonly<Record<string, string | number | bigint | boolean | undefined>>;

/** The type that each `Reply` of types.ts extends. */
export interface ReplyData {
  readonly status: number;
  readonly headers?: HeaderValues;
  readonly body?: unknown;
}

/** Checks values in which an int64 is a bigint. */
interface OperationValidator {
  /** @param work the work that the check may take (budget.ts) @returns the work that is left @throws Refusal */
  request(request: RequestData, mediaType: string | undefined, work: number): number;
  /**
   * @param status a number, or as the contract declares it, such as `default`
   * @param work the work that the check may take; undefined: as much as the length allows
   * @throws ReplyError
   */
  reply(status: number | string, headers: object, body: unknown, work?: number): void;
}

export type Declared = Omit<ContractOperation, 'validator'>;

export interface ContractBody {
  readonly required: boolean;
  /** The limit holds for the body as sent and after decompression. */
  readonly maxBytes: number;
  /** The key is the media type. */
  readonly types: ReadonlyMap<string, ContractContent>;
  /** The first example of the first content: JSON, if the body may be JSON. */
  readonly example: unknown;
}
