import type { OWN_HEADERS } from './message/content.ts';

// Types of operations, derived from the `components` and `operations` that `npm run generate` writes.

/** A schema of a contract, as a reply has it. */
export type Schema<Components extends { schemas: object }, Name extends keyof Components['schemas']> = SentValue<
  Components['schemas'][Name]
>;

/** The body of a failure. */
export interface ErrorBody {
  /** The HTTP status followed by two digits. */
  readonly error: number;
  readonly message: string;
}

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
} & (string extends keyof T ? (unknown extends T[string] ? Others : unknown) : unknown);
/**
 * Marks an object whose schema keeps members without a name, for storage/tables.ts of trellis too: the compiler drops an
 * index signature from `{ ...body, id }`, but not a member.
 */
export interface Others {
  readonly 'other members'?: true;
}

/**
 * A value of a reply, as an operation returns it: without writeOnly members, and with every other one that the contract
 * declares. An optional member is undefined if it is not sent: if it could be left out, a forgotten one would compile.
 * A list may be readonly, as one of a row is.
 */
type SentValue<T> =
  T extends ReadOnly<infer Value>
    ? SentValue<Value>
    : T extends readonly unknown[]
      ? { readonly [Index in keyof T]: SentValue<T[Index]> }
      : T extends object
        ? {
            [Name in keyof T as Unless<WriteOnly, Name, NonNullable<T[Name]>>]-?:
              SentValue<Defined<T[Name]>> | Absent<T, Name>;
          }
        : T;
/** `undefined` for an optional member, and for all members that the contract does not name. */
type Absent<T, Name extends keyof T> = string extends Name
  ? undefined
  : object extends Pick<T, Name>
    ? undefined
    : never;

type None = Readonly<Record<string, never>>;
type PartOf<O, In extends string> = O extends { parameters: Partial<Record<In, infer P>> }
  ? [NonNullable<P>] extends [never]
    ? None
    : Received<NonNullable<P>>
  : never;
type RequestBody<O> = O extends { requestBody: { content: infer C } }
  ? OneOf<C, never>
  : O extends { requestBody?: { content: infer C } }
    ? OneOf<C, undefined>
    : { readonly body: undefined };
/** The media type tells what the body is, where there are several. */
type OneOf<C, None> =
  IsUnion<keyof C> extends true
    ? | { [Type in keyof C]: { readonly contentType: Bare<Type>; readonly body: ReceivedBody<C[Type]> } }[keyof C]
      | ([None] extends [never] ? never : { readonly contentType: None; readonly body: None })
    : { readonly body: ReceivedBody<C[keyof C]> | None };
type IsUnion<T, Each = T> = [T] extends [never]
  ? false
  : Each extends unknown
    ? [T] extends [Each]
      ? false
      : true
    : never;
type Bare<Type> = Type extends `${infer Name};${string}` ? Name : Type;
type ReceivedBody<T> = T extends Uint8Array ? T : Received<T>;

/** The names that the body of a request must have; without a body of JSON, a name that no object has. */
export type RequiredOf<O> = O extends { requestBody?: infer Sent }
  ? [NonNullable<Sent>] extends [never]
    ? 'no body'
    : NonNullable<Sent> extends { content: infer C }
      ? [Exclude<C[keyof C], Uint8Array | string>] extends [never]
        ? 'no body'
        : RequiredIn<Exclude<C[keyof C], Uint8Array | string>>
      : never
  : 'no body';
type RequiredIn<T> = T extends unknown
  ? { [Name in keyof T]-?: object extends Pick<T, Name> ? never : Unless<ReadOnly, Name, T[Name]> }[keyof T]
  : never;

/** The first argument of an operation; int64 is `bigint`. */
export type Request<All, Id extends keyof All> = {
  readonly path: PartOf<All[Id], 'path'>;
  readonly query: PartOf<All[Id], 'query'>;
  readonly header: PartOf<All[Id], 'header'>;
} & RequestBody<All[Id]>;

/** The declared headers without the generated `[name: string]: unknown`, which would let a misspelt name through. */
type DeclaredHeaders<T> = { [Name in keyof T as string extends Name ? never : Offered<Name>]: T[Name] };
type Offered<Name> = Name extends string
  ? Lowercase<Name> extends (typeof OWN_HEADERS)[number]
    ? never
    : Name
  : never;
/** Not `None`: the compiler would complain of the value of a misspelt header, and not of its name. */
type NoHeaders = Readonly<Partial<Record<'no header', never>>>;
type Headers<H> = [keyof H] extends [never]
  ? { readonly headers?: NoHeaders }
  : Partial<H> extends H
    ? { readonly headers?: Readonly<H> }
    : { readonly headers: Readonly<H> };
type BodyOf<R> = R extends { content: infer C } ? { readonly body: SentBody<C[keyof C]> } : unknown;
type SentBody<T> = T extends Uint8Array ? T : SentValue<T>;
type ReplyOf<Status, R> = R extends { headers: infer H }
  ? { readonly status: Status } & Headers<DeclaredHeaders<H>> & BodyOf<R>
  : never;
type RepliesOf<O> = O extends { responses: infer R }
  ? | ByDefault<R>
    | {
        [Status in keyof R & (number | keyof Ranges)]: ReplyOf<
          Status extends keyof Ranges ? Exclude<Ranges[Status], keyof R> : Status,
          R[Status]
        >;
      }[keyof R & (number | keyof Ranges)]
  : never;
/** A 4xx that only `default` declares, unless its body lists the numbers of failures. */
type ByDefault<R> = R extends { default: infer D }
  ? '4XX' extends keyof R
    ? never
    : ListsNumbers<D> extends true
      ? never
      : ReplyOf<Exclude<ClientErrors, keyof R>, D>
  : never;
type ListsNumbers<R> = R extends { content: infer C }
  ? C[keyof C] extends { error?: infer N }
    ? [NonNullable<N>] extends [number]
      ? number extends NonNullable<N>
        ? false
        : true
      : false
    : false
  : false;
/** The registered statuses of each range that have a body: any other one must be declared by its number. */
interface Ranges {
  '2XX': 200 | 201 | 202 | 203 | 206 | 207 | 208 | 226;
  '3XX': 300 | 301 | 302 | 303 | 307 | 308;
  '4XX': ClientErrors;
  '5XX': 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 511;
}
type ClientErrors =
  | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417)
  | (421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451);

/** Statuses that the contract declares by number or range, and of `default` those of clients' errors. */
export type Reply<All, Id extends keyof All> = RepliesOf<All[Id]>;

export type Operation<All, Id extends keyof All, Tools> = (
  request: Request<All, Id>,
  tools: Tools,
) => Promise<Reply<All, Id>>;

export type Operations<All, Tools> = { readonly [Id in keyof All]: Operation<All, Id, Tools> };
