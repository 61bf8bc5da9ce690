/**
 * OpenAPI as data, at run time: a contract is loaded once, and then reads and judges messages. It knows no server and no
 * store. The text goes through `loadContract`: YAML to a document (schema/), the document against what a contract may say
 * (rules/), its schemas to validators (validator/), its operations to what reads and sends their messages (message/).
 * It comes out as a `Contract`, or as a `ContractError` that names each place and its cure. A message comes in as bytes and
 * texts (`readValues`, `readRecord`) and is judged (`requireValid`, `reply` of a validator); it goes out as data, or as a
 * `Refusal` for its sender. What a handler returns may fail with a `ReplyError`.
 *
 * @module
 */
import './globals.ts';

/** The text of a contract becomes operations, or is refused with each place. */
export { loadContract, type Loaded, readContractFile } from './load.ts';
/** What a loaded contract is: its operations, with their data. */
export type {
  Contract,
  ContractBody,
  ContractOperation,
  HeaderValues,
  ReplyData,
  RequestData,
} from './message/operation.ts';
export { readOperations, scopesOf } from './contract.ts';
/** The document as OpenAPI has it, and what its references lead to. */
export {
  type AnySchema,
  type Follow,
  follower,
  type Media,
  type Method,
  type OpenApiDocument,
  pathItemsOf,
  readOpenApi,
  resolver,
  type Server,
} from './schema/document.ts';
/** The text of a document, with the place of each part. */
export { type Parsed, parseYaml } from './schema/yaml.ts';
/** A place in a message, with all schemas that apply there. */
export { Position } from './schema/positions.ts';
/** Which schemas a schema applies to the same value, and to its parts. */
export { inPlace, reachable } from './schema/subschemas.ts';
/** The work that a verdict may take. */
export { workFor } from './schema/budget.ts';
/** Paths: of the operations, and of what a service serves beside them. */
export { matching, normalized, PAGES, readBasePath } from './rules/addresses.ts';
/** The bounds of bodies, in bytes. */
export { DEFAULT_BODY_BYTES, MAX_BODY_BYTES, MAX_REPLY_BYTES } from './rules/body-limit.ts';
/** A request is read and judged; the verdict is synchronous. */
export {
  type MessageBody,
  notUtf8,
  readRecord,
  type ReadRequest,
  readValues,
  requireValid,
  type TextBody,
  tooLarge,
  validateRequest,
} from './request.ts';
/** What a message has, by its media type, and how replies are found by status. */
export { type ContractContent, declaredFor, OWN_HEADERS, replyFor, returnedFor } from './message/content.ts';
/** Exact JSON. */
export { type Holder, parseJson, PlainObject } from './message/json.ts';
/** Parameters as texts, and their values. */
export { readScalar, type SentRequest } from './message/parameters.ts';
/** What is wrong with a message, in words. */
export { ContractBroken, inWords, isOfName, ReplyError } from './message/faults.ts';
/** What an operation does not get, as no schema names it. */
export { leaveOut } from './message/undeclared.ts';
/** What a handler sends. */
export { tooLong } from './message/sent.ts';
/** The failures that a service itself answers: what a contract must declare of them, and their bodies. */
export { type ErrorBodyOf, type Failure, type TellFailure, tellFailure, toldIn } from './failures.ts';
export { listedNumbers, unlistedNumbers } from './listed-numbers.ts';
export { OF_OPERATIONS } from './required-failures.ts';
/** Shapes of requests, replies and schemas, from the generated types. */
export type { ErrorBody, Operation, Operations, Reply, Request, RequiredOf, Schema } from './types.ts';
/** Whether the installed validator gives the verdicts that this package relies on. */
export { untestedValidator } from './validator/self-test.ts';
