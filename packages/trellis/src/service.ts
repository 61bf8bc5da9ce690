import type { Logger } from 'pino';
import type { ErrorBodyOf, Operations, ReplyData, RequestData, RequiredOf } from 'trellis-contract';
import type { Caller } from './auth/caller.ts';
import type { ErrorNumber } from 'trellis-contract/ground';
import type { Steps } from './storage/steps.ts';
import type { Queries, Transaction } from './storage/queries.ts';
import type { Store } from './storage/store.ts';
import type { Tables } from './storage/tables.ts';

/** A whole service: a contract, and what the service does. A running service is an instance. */
export interface AnyService {
  /** Small letters, digits and hyphens, as in `book-store`: tokens begin with `bookstore_`, metrics with `book_store_`. */
  readonly name: string;
  /** Four characters of ASCII, which mark a database as a store of this service. Never change it. */
  readonly marker: string;
  /** The file of the contract. `generated/` stands beside it. */
  readonly contract: URL;
  readonly tables: Tables;
  /** The steps of the schema. */
  readonly steps: Steps;
  /** The operations by operationId. */
  readonly operations: Readonly<Record<string, Untyped['operation']>>;
  /** The body of failures, if it is not `{ error, message }`. */
  readonly errorBody?: ErrorBodyOf;
  /**
   * The operation that creates a row, by table: `import` runs it with each record of a file, and `export` writes its
   * bodies. The first start prints a request for the first of these operations.
   */
  readonly records: Readonly<Record<string, string>>;
  /** The service's own settings, beside those that every service has. */
  readonly settings?: Settings | undefined;
  /** Opens what operations share, before the first request. */
  readonly resources?: Untyped['resources'] | undefined;
}

/**
 * A service, checked by the types that are generated from its contract.
 *
 * @typeParam All the generated `operations`
 * @typeParam Of the tables of the service
 * @typeParam Numbers the generated union of error numbers, which must have those of the framework
 * @typeParam Own `typeof settings`, if the service has settings of its own
 * @typeParam Open `typeof resources`, if the service opens something
 */
export type Service<
  All,
  Of extends Tables,
  Numbers,
  Own extends Settings | undefined = undefined,
  Open extends Opens | undefined = undefined,
> = Omit<AnyService, 'contract' | 'tables' | 'operations' | 'records' | 'settings' | 'resources'> & {
  readonly contract: [Exclude<ErrorNumber, Numbers>] extends [never]
    ? URL
    : { readonly 'x-error-numbers lacks': Exclude<ErrorNumber, Numbers> };
  readonly tables: Of;
  readonly operations: Operations<All, Tools<Of, Own, Open>>;
  // The names of the operations stand here, not in CreatorOf: the compiler would write only the name of that type.
  readonly records: { readonly [Table in keyof Of]?: CreatorOf<All, Of[Table]>[keyof All & string] };
} & Said<'settings', Own> &
  Said<'resources', Open>;

/** A member that a service has if its type is given: without the type, operations would not see it. */
type Said<Name extends string, Type> = [Type] extends [undefined]
  ? Readonly<Partial<Record<Name, undefined>>>
  : Readonly<Record<Name, Type>>;

/** Settings by name, which has capitals, digits and `_`. */
export type Settings = Readonly<Record<string, Setting>>;

export interface Setting {
  /** @throws Error whose message follows the setting's name: `must be …, not …` */
  readonly read: (text: string) => unknown;
  /** Read like any other text. Without it, the value of a setting that is not set is undefined. */
  readonly default?: string;
  /** Keeps the value out of the output of `config`, and out of messages. */
  readonly secret?: boolean;
  /** What the value is, for the reader of a message or of a manual. */
  readonly meaning: string;
}

/** The values of settings. */
export type SettingValues<Of extends Settings | undefined> = Of extends Settings
  ? {
      readonly [Name in keyof Of]:
        ReturnType<Of[Name]['read']> | (Of[Name] extends { readonly default: string } ? never : undefined);
    }
  : object;

type Opens = (setup: never) => unknown;
/** The resources that a function opens. */
type Opened<Open extends Opens | undefined> = Open extends Opens ? Awaited<ReturnType<Open>> : unknown;

/** The operations that may create a row: their body requires columns of the table alone, and keeps no others. */
type CreatorOf<All, T> = {
  // A body that keeps members without a name has an index signature, which counts as a required name.
  [Id in keyof All & string]: string extends RequiredOf<All[Id]>
    ? Readonly<Record<`the body of ${Id} may have members that no column keeps`, 'leave out additionalProperties'>>
    : Creator<Id, Exclude<RequiredOf<All[Id]>, keyof T['columns' & keyof T]>>;
};
/** For any other operation that has a body, the compiler says what the table lacks. */
type Creator<Id extends string, Lacking> = [Lacking] extends [never]
  ? Id
  : [Lacking] extends ['no body']
    ? never
    : Readonly<Record<`the table lacks what ${Id} requires`, Lacking>>;

/** Any operation and any `resources`, as methods: TypeScript allows narrower parameters only there. */
interface Untyped {
  operation(request: RequestData, tools: never): Promise<ReplyData>;
  called(request: RequestData, tools: Tools): Promise<ReplyData>;
  resources(setup: never): unknown;
  opened(setup: Setup): unknown;
}
/** An operation in the form in which the framework calls it. */
export type Handler = Untyped['called'];
/** `resources` of a service in the form in which the framework calls it. */
export type Opener = Untyped['opened'];

interface Services<Of extends Tables, Own extends Settings | undefined> extends Queries<Of> {
  readonly transaction: Transaction<Of>;
  readonly now: () => Date;
  /** The values of the service's own settings. */
  readonly settings: SettingValues<Own>;
}

/** What all operations of an instance share. */
export interface Shared<
  Of extends Tables = Tables,
  Own extends Settings | undefined = undefined,
  Open extends Opens | undefined = undefined,
> extends Services<Of, Own> {
  /** What `resources` of the service has returned. */
  readonly resources: Opened<Open>;
}

/** The argument of `resources`: the tools to open resources with. */
export interface Setup<Of extends Tables = Tables, Own extends Settings | undefined = undefined> extends Services<
  Of,
  Own
> {
  readonly log: Logger;
  /** Aborted as soon as the service is to stop: a loop ends then. Requests under way still get their replies. */
  readonly signal: AbortSignal;
}

/** The second argument of an operation. */
export interface Tools<
  Of extends Tables = Tables,
  Own extends Settings | undefined = undefined,
  Open extends Opens | undefined = undefined,
> extends Shared<Of, Own, Open> {
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

export function sharedBy(
  { create, get, database, transaction }: Store,
  settings: Shared['settings'] = {},
  now = () => new Date(),
): Omit<Shared, 'resources'> {
  return { create, get, database, transaction, now, settings };
}
