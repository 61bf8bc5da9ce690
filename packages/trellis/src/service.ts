import type { Logger } from 'pino';
import type { Caller } from './contract/caller.ts';
import type { ReplyData, RequestData } from './contract/contract.ts';
import type { ErrorNumber } from './contract/errors.ts';
import type { Operations } from './contract/types.ts';
import type { Steps } from './storage/steps.ts';
import type { Queries, Store, Transaction } from './storage/store.ts';
import type { Tables } from './storage/tables.ts';

/** A whole service: a contract, and what it does. A running one is an instance. */
export interface AnyService {
  /** Small letters, digits and hyphens, such as `book-store`. Tokens and metrics begin with it. */
  readonly name: string;
  /** Four characters of ASCII, which mark a database as a store of this service. Never change it. */
  readonly marker: string;
  /** The file of the contract. `generated/` stands beside it. */
  readonly contract: URL;
  readonly tables: Tables;
  /** The steps of the schema. */
  readonly steps: Steps;
  /** By operationId. */
  readonly operations: Readonly<Record<string, Untyped['operation']>>;
  /**
   * The operation that creates a row, by table: `import` runs it with each record of a file, and `export` writes its
   * bodies. The first start prints an example of the first one.
   */
  readonly records: Readonly<Record<string, string>>;
}

/**
 * What a service says, held to the types that are generated from its contract.
 *
 * @typeParam All the generated `operations`
 * @typeParam Of the tables of the service
 * @typeParam Numbers the generated union of error numbers, which must have those of the framework
 */
export interface Service<All, Of extends Tables, Numbers> extends Omit<
  AnyService,
  'contract' | 'operations' | 'records'
> {
  readonly contract: [Exclude<ErrorNumber, Numbers>] extends [never]
    ? URL
    : { readonly 'x-error-numbers lacks': Exclude<ErrorNumber, Numbers> };
  readonly tables: Of;
  readonly operations: Operations<All, Tools<Of>>;
  readonly records: { readonly [Table in keyof Of]?: keyof All & string };
}

/** Any operation. They are methods, because TypeScript allows narrower parameters only there. */
interface Untyped {
  operation(request: RequestData, tools: never): Promise<ReplyData>;
  called(request: RequestData, tools: Tools): Promise<ReplyData>;
}
/** An operation as it is called. */
export type Handler = Untyped['called'];

/** What all operations of an instance share. */
export interface Services<Of extends Tables = Tables> extends Queries<Of> {
  readonly transaction: Transaction<Of>;
  readonly now: () => Date;
}

/** The second argument of an operation. */
export interface Tools<Of extends Tables = Tables> extends Services<Of> {
  /** undefined: the operation looks at no token, the request has none and needs none, or an import runs it. */
  readonly caller: Caller | undefined;
  /** Adds the request id to each line. Never log a token or a body. */
  readonly log: Logger;
  /**
   * Aborted when the client closes its side of the connection before it has the reply. A client that only half-closed
   * still gets the reply, if the operation ignores the signal and finishes.
   */
  readonly signal: AbortSignal;
}

export function servicesOf({ create, get, database, transaction }: Store, now = () => new Date()): Services {
  return { create, get, database, transaction, now };
}
