import type { components, operations } from '../../generated/openapi.ts';

/** The shapes of an operation as data, derived from the types that openapi.yaml generates. */
export type OperationId = keyof operations;
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
export type ErrorBody = Schema<'Error'>;

type None = Readonly<Record<string, never>>;
type Parameters<Id extends OperationId> = operations[Id]['parameters'];
type Part<P, In extends PropertyKey> = In extends keyof P
  ? [NonNullable<P[In]>] extends [never]
    ? None
    : NonNullable<P[In]>
  : None;

type RequestContent<Id extends OperationId> = operations[Id] extends { requestBody: { content: infer C } }
  ? C[keyof C]
  : operations[Id] extends { requestBody?: { content: infer C } }
    ? C[keyof C] | undefined
    : undefined;

/** What an operation is called with; int64 is `bigint`, defaults are filled in. */
export interface Request<Id extends OperationId> {
  readonly path: Part<Parameters<Id>, 'path'>;
  readonly query: Part<Parameters<Id>, 'query'>;
  readonly header: Part<Parameters<Id>, 'header'>;
  readonly body: RequestContent<Id>;
}

/** The declared members only: the generated `[name: string]: unknown` would let a misspelt header through. */
type Declared<T> = { [Name in keyof T as string extends Name ? never : Name]: T[Name] };
type Headers<H> =
  Partial<Declared<H>> extends Declared<H>
    ? { readonly headers?: Readonly<Declared<H>> }
    : { readonly headers: Readonly<Declared<H>> };
type Body<R> = R extends { content: infer C }
  ? [C] extends [undefined]
    ? unknown
    : { readonly body: C[keyof C] }
  : unknown;
type ReplyOf<Status, R> = R extends { headers: infer H } ? { readonly status: Status } & Headers<H> & Body<R> : never;

/**
 * What an operation may answer: the statuses that openapi.yaml declares by number. `default` is not among them, or
 * any status would compile; failures that fall under it are thrown.
 */
export type Reply<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & number]: ReplyOf<Status, operations[Id]['responses'][Status]>;
}[keyof operations[Id]['responses'] & number];

export type Operation<Id extends OperationId, Services> = (
  request: Request<Id>,
  services: Services,
) => Promise<Reply<Id>>;

/** A handler for each operationId of the contract: none missing, none too many. */
export type Operations<Services> = { readonly [Id in OperationId]: Operation<Id, Services> };
