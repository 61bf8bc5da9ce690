import type { components, operations } from '../../../generated/openapi.ts';
import type { OWN_HEADERS } from './contract.ts';

// Types of operations, derived from the generated ones. Tests set `All` to the `operations` of another contract.

/** A schema of the contract, as a reply has it. */
export type Schema<Name extends keyof components['schemas']> = Sent<components['schemas'][Name]>;
export type ErrorBody = Schema<'Error'>;

/** openapi-typescript marks a property that is readOnly by `$read`, one that is writeOnly by `$write`. */
interface ReadOnly<Value = unknown> {
  readonly $read: Value;
}
interface WriteOnly<Value = unknown> {
  readonly $write: Value;
}

/** The name of a member, unless its value has the mark. `never`, which extends every mark, counts as unmarked. */
type Unless<Mark, Name, Value> = [Value] extends [never] ? Name : Value extends Mark ? never : Name;

/** A value of a request, as an operation gets it: without readOnly members, with all defaults. */
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
/** Generated types include `undefined` only for a member with a default, which an operation always gets. */
type FilledIn<T> = {
  [Name in keyof T as undefined extends Required<T>[Name] ? never : Name]: T[Name];
} & {
  [Name in keyof T as undefined extends Required<T>[Name] ? Name : never]-?: Defined<T[Name]>;
};

/** A value of a reply, as an operation returns it: without writeOnly members. */
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

/** The first argument of an operation; int64 is `bigint`. */
export interface Request<Id extends keyof All, All = operations> {
  readonly path: Part<All[Id], 'path'>;
  readonly query: Part<All[Id], 'query'>;
  readonly header: Part<All[Id], 'header'>;
  readonly body: RequestContent<All[Id]>;
}

/** The declared headers without the generated `[name: string]: unknown`, which would let a misspelt name through. */
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

/** Only statuses that openapi.yaml declares by number: `default` would let any status compile. */
export type Reply<Id extends keyof All, All = operations> = Replies<All[Id]>;

export type Operation<Id extends keyof All, Tools, All = operations> = (
  request: Request<Id, All>,
  tools: Tools,
) => Promise<Reply<Id, All>>;

export type Operations<Tools, All = operations> = { readonly [Id in keyof All]: Operation<Id, Tools, All> };
