import type { ContractOperation } from '../../src/contract/contract.ts';
import { type Follow, follower, type Parameter } from '../../src/contract/document.ts';
import { exactJson } from '../../src/contract/int64.ts';
import { Position } from '../../src/contract/positions.ts';
import { validateRequest } from '../../src/contract/request.ts';
import { Candidates } from './candidates.ts';
import { type Cases, casesOf } from './cases.ts';
import { Judge, type Keywords, type Schema } from './judge.ts';
import { equal, isObject, type Json } from './values.ts';
import { type Parts, partsOf, readings, wireOf } from './wire.ts';

/** A request or a reply of an operation, whose parts form one value. */
export interface Subject {
  /** Such as `request` or `reply 200`. */
  readonly name: string;
  readonly cases: Cases;
  /** Functions that pass a value to the service's validator. @throws Refusal, ReplyError if the value is invalid */
  readonly ways: readonly ((value: Json) => void)[];
}

interface RequestSubject extends Subject {
  readonly mediaType: string | undefined;
}

/** Plain JSON, and JSON with another order of members, `1.0` for 1, and escapes. */
const SPELLINGS = [[], [1, 0, 2, 1, 3]];
/** A parameter cannot contain an empty array or object. */
const NOT_EMPTY = { minItems: 1, minProperties: 1 };

export class Subjects {
  private readonly requests: Candidates;
  private readonly replies: Candidates;
  private readonly follow: Follow;
  /** A cache, as operations share replies. */
  private readonly known = new Map<string, Cases>();

  constructor(document: object, seed: number) {
    this.requests = new Candidates(new Judge(document, 'request'), seed);
    this.replies = new Candidates(new Judge(document, 'reply'), seed);
    this.follow = follower(document);
  }

  /** One for each media type of the body. */
  ofRequests(operation: ContractOperation): RequestSubject[] {
    const { judge } = this.requests;
    const { parameters, body } = operation;
    const located = (location: Parameter['in']) => {
      const those = parameters.filter((each) => each.in === location);
      return objectOf(
        those.map(({ name, schema, required = false }) => [name, { allOf: [schema, NOT_EMPTY] }, required]),
      );
    };
    const query = { ...located('query'), additionalProperties: false };
    const contents = body === undefined ? [undefined] : [...body.types];
    return contents.map((content) => {
      const [mediaType, media] = content ?? [];
      const schema = objectOf([
        ['path', located('path'), true],
        ['query', query, true],
        ['header', located('header'), true],
        ...(media === undefined ? [] : [['body', media.schema, body?.required === true] as const]),
      ]);
      const isMeant = (value: Json, isValid: boolean) => {
        const parts = partsOf(value);
        if (parts === undefined || wireOf(operation, mediaType, parts) === undefined) return false;
        if (!parameters.every((each) => isWritten(parts[each.in][each.name], each, this.requests))) return false;
        // The service refuses a request without its body before it validates anything.
        if (parts.body === undefined && body?.required === true) return false;
        return isValid || !judge.isValid(schema, asTaken(parts, parameters, judge));
      };
      const ways = SPELLINGS.map((choices) => (value: Json) => {
        const parts = partsOf(value);
        const wire = parts && wireOf(operation, mediaType, parts, choices);
        if (parts === undefined || wire === undefined) throw new Error('it cannot be sent');
        const read = validateRequest(wire.sent, wire.body, operation);
        const isKept = parameters.every((each) =>
          isRead(parts[each.in][each.name], read[each.in][each.name], each, judge),
        );
        if (!isKept || !isIn(parts.body, read.body)) throw new Error(`it becomes ${exactJson(read)}`);
      });
      const name = (body?.types.size ?? 0) > 1 ? `request of ${mediaType ?? ''}` : 'request';
      return { name, mediaType, cases: casesOf(schema, this.requests, isMeant), ways };
    });
  }

  ofReplies(operation: ContractOperation): Subject[] {
    return [...operation.replies].map(([status, { content, headers }]) => {
      const fields = Object.entries(headers).map(
        ([name, { schema, required = false }]) => [name, schema, required] as const,
      );
      const body = content === undefined ? [] : [['body', content.schema, true] as const];
      const schema = objectOf([['headers', { ...objectOf(fields), additionalProperties: false }, true], ...body]);
      const position = new Position(schema, this.follow);
      const key = [...fields, ...body]
        .map(([name, each, required]) => [name, this.replies.numberOf(each), required])
        .join();
      const cases = this.known.get(key) ?? casesOf(schema, this.replies, isReply);
      this.known.set(key, cases);
      const validate = (value: Json) => {
        const reply = returned(value, position) as { readonly headers: object; readonly body?: unknown };
        operation.validator.reply(status === 'default' ? 599 : Number(status), reply.headers, reply.body);
      };
      return { name: `reply ${status}`, cases, ways: [validate] };
    });
  }
}

function isReply(value: Json): boolean {
  return (
    isObject(value) &&
    isObject(value['headers']) &&
    Object.keys(value).every((name) => ['headers', 'body'].includes(name))
  );
}

function objectOf(rows: readonly (readonly [name: string, schema: Schema, required: boolean])[]): Keywords {
  return {
    properties: Object.fromEntries(rows.map(([name, schema]) => [name, schema])),
    required: rows.flatMap(([name, , required]) => (required ? [name] : [])),
  };
}

/** Whether the value has the shape that the schema allows: an array, an object or a single value. */
function isWritten(value: Json | undefined, parameter: Parameter, candidates: Candidates): boolean {
  const { schema, in: location, explode = location === 'query' } = parameter;
  // A query can repeat any parameter, also one that allows a single value.
  if (value === undefined || (location === 'query' && explode && Array.isArray(value) && value.length > 1)) return true;
  const kind = (each: Json | undefined) => (Array.isArray(each) ? 'array' : isObject(each) ? 'object' : 'single');
  return kind(value) === kind(candidates.valid([schema])[0]);
}

/** Replaces each parameter by a valid reading of its text, if there is one. */
function asTaken(given: Parts, parameters: readonly Parameter[], judge: Judge): Json {
  const located = (location: Parameter['in']) => {
    const those = parameters.filter((each) => each.in === location && Object.hasOwn(given[location], each.name));
    const taken = those.flatMap(({ name, schema }) => {
      const reading = readings(given[location][name] ?? null).find((each) => judge.isValid(schema, each));
      return reading === undefined ? [] : [[name, reading] as const];
    });
    return { ...given[location], ...Object.fromEntries(taken) };
  };
  return { ...given, path: located('path'), query: located('query'), header: located('header') };
}

/** Whether the value that the service read is one of the valid values of the text that was sent. */
function isRead(sent: Json | undefined, read: unknown, { schema }: Parameter, judge: Judge): boolean {
  if (sent === undefined) return true;
  return readings(sent).some((each) => isIn(each, read) && judge.isValid(schema, each));
}

/** Converts a value to what an operation returns: only an int64 is a bigint. */
function returned(value: Json, position: Position): unknown {
  if (typeof value === 'bigint') return position.int64 ? value : Number(value);
  if (Array.isArray(value))
    return (value as readonly Json[]).map((each, index) => returned(each, position.item(index)));
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([name, each]) => [name, returned(each, position.member(name))]));
}

/** Whether the service has read what was sent; it may have added defaults. */
function isIn(sent: unknown, read: unknown): boolean {
  // The service reads an integer outside int64 as a number.
  if (typeof sent === 'bigint' && BigInt.asIntN(64, sent) !== sent) return Number(sent) === read;
  if (Array.isArray(sent))
    return Array.isArray(read) && sent.length === read.length && sent.every((each, at) => isIn(each, read[at]));
  if (!isObject(sent)) return equal(sent, read);
  return isObject(read) && Object.entries(sent).every(([name, each]) => isIn(each, read[name]));
}
