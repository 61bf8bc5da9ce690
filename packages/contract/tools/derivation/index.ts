/**
 * Values, requests and replies that are derived from schemas, for tests and for the comparison of contracts. It needs the
 * packages ajv and fast-check.
 *
 * @module
 */
/** Requests and replies that an operation allows, and some that it forbids. */
export { Derivation, type DerivedReply } from './messages.ts';
/** Schemas for the two libraries that draw and judge values. */
export { judgeBy, type Keywords, without, withSchemas } from './schemas.ts';
/** Values whose numbers have all their digits. */
export { isNumber, isObject, type JsonObject, type JsonValue, numberOf, withMember } from './values.ts';
/** A derived request as it is sent. */
export { bytesFor, type Parts, payloadOf, type Wire, wireOf } from './wire.ts';
