import type { components, operations } from '../../generated/openapi.ts';
import type { OWN_HEADERS } from './contract.ts';

// The shapes of an operation as data, derived from the types that openapi.yaml generates. `All` is the generated
// `operations` of another contract where a test has one.

/** A schema of the contract, as replies hold it. */
export type Schema<Name extends keyof components['schemas']> = Sent<components['schemas'][Name]>;
export type ErrorBody = Schema<'Error'>;

/** What generated types mark a property with that is readOnly, or writeOnly. */
interface ReadOnly<Value = unknown> {
  readonly $read: Value;
}
interface WriteOnly<Value = unknown> {
  readonly $write: Value;
}

/** The name of a member, unless it is marked as such. (`never` extends every mark.) */
type Unless<Mark, Name, Value> = [Value] extends [never] ? Name : Value extends Mark ? never : Name;

/** What an operation gets of a value that clients send: nothing that is readOnly, and each default filled in. */
type Received<T> =
  T extends WriteOnly<infer Value>
    ? Received<Value>
    : T extends readonly unknown[]
      ? { [Index in keyof T]: Received<T[Index]> }
      : T extends object
        ? FilledIn<T> extends infer Whole
          ? { [Name in keyof Whole as Unless<ReadOnly, Name, NonNullable<Whole[Name]>>]: Received<Whole[Name]> }
          : never
        : T;
type Defined<T> = Exclude<T, undefined>;
/** Generated types have `| undefined` for what has a default only; exactOptionalPropertyTypes tells it from `?`. */
type FilledIn<T> = {
  [Name in keyof T as undefined extends Required<T>[Name] ? never : Name]: T[Name];
} & {
  [Name in keyof T as undefined extends Required<T>[Name] ? Name : never]-?: Defined<T[Name]>;
};

/** What an operation returns for a value that clients get: nothing that is writeOnly. */
type Sent<T> =
  T extends ReadOnly<infer Value>
    ? Sent<Value>
    : T extends readonly unknown[]
      ? { [Index in keyof T]: Sent<T[Index]> }
      : T extends object
        ? { [Name in keyof T as Unless<WriteOnly, Name, NonNullable<T[Name]>>]: Sent<Defined<T[Name]>> }
        : T;

type None = Readonly<Record<string, never>>;
type Part<O, In extends string> = O extends { parameters: Partial<Record<In, infer P>> }
  ? [NonNullable<P>] extends [never]
    ? None
    : Received<NonNullable<P>>
  : never;
type RequestContent<O> = O extends { requestBody: { content: infer C } }
  ? Received<C[keyof C]>
  : O extends { requestBody?: { content: infer C } }
    ? Received<C[keyof C]> | undefined
    : undefined;

/** What an operation is called with; int64 is `bigint`, defaults are filled in. */
export interface Request<Id extends keyof All, All = operations> {
  readonly path: Part<All[Id], 'path'>;
  readonly query: Part<All[Id], 'query'>;
  readonly header: Part<All[Id], 'header'>;
  readonly body: RequestContent<All[Id]>;
}

/** The headers that an operation may send. The generated `[name: string]: unknown` would let a misspelt one through. */
type Declared<T> = { [Name in keyof T as string extends Name ? never : Offered<Name>]: T[Name] };
type Offered<Name> = Name extends string
  ? Lowercase<Name> extends (typeof OWN_HEADERS)[number]
    ? never
    : Name
  : never;
type Headers<H> = [keyof H] extends [never]
  ? { readonly headers?: None }
  : Partial<H> extends H
    ? { readonly headers?: Readonly<H> }
    : { readonly headers: Readonly<H> };
type Body<R> = R extends { content: infer C } ? { readonly body: Sent<C[keyof C]> } : unknown;
type ReplyOf<Status, R> = R extends { headers: infer H }
  ? { readonly status: Status } & Headers<Declared<H>> & Body<R>
  : never;
type Replies<O> = O extends { responses: infer R }
  ? { [Status in keyof R & number]: ReplyOf<Status, R[Status]> }[keyof R & number]
  : never;

/**
 * What an operation may answer: the statuses that openapi.yaml declares by number. `default` is not among them, or
 * any status would compile; failures that fall under it are thrown.
 */
export type Reply<Id extends keyof All, All = operations> = Replies<All[Id]>;

export type Operation<Id extends keyof All, Tools, All = operations> = (
  request: Request<Id, All>,
  tools: Tools,
) => Promise<Reply<Id, All>>;

/** A handler for each operationId of the contract: none missing, none too many. */
export type Operations<Tools, All = operations> = { readonly [Id in keyof All]: Operation<Id, Tools, All> };
