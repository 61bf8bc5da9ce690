import type { Declared } from '../../src/message/operation.ts';
import { readOperations } from '../../src/contract.ts';
import { type AnySchema, follower, type OpenApiDocument, type Parameter } from '../../src/schema/document.ts';
import { isExploded, isSpread } from '../../src/message/readable.ts';
import { Position } from '../../src/schema/positions.ts';
import { candidatesOf } from './candidates.ts';
import { type Keywords, without } from './schemas.ts';
import { isObject, type JsonValue, type JsonObject } from './values.ts';
import { type Parts, partsOf, type Wire, wireOf } from './wire.ts';

/** The requests of an operation with one media type. */
export interface Requests {
  readonly mediaType: string | undefined;
  /** Describes the parts together. Its references lead into `Derivation.requests`. */
  readonly schema: Keywords;
  /** Valid and invalid messages. */
  readonly messages: readonly DerivedRequest[];
}

/** The values of a request, and how it is sent. */
export interface DerivedRequest {
  readonly parts: Parts;
  readonly wire: Wire;
}

export interface DerivedReply {
  readonly headers: JsonObject;
  readonly body?: JsonValue;
}

export interface Replies {
  /** `200` or `default` */
  readonly status: string;
  /** Describes headers and body together. Its references lead into `Derivation.replies`. */
  readonly schema: Keywords;
  readonly messages: readonly DerivedReply[];
}

/** A fixed seed, so that the same contract always gives the same messages. */
const SEED = 20_260_000;

/** A parameter cannot contain an empty array or object. */
const NOT_EMPTY: Keywords = { minItems: 1, minProperties: 1 };

/** Derives messages on both sides of each keyword of a contract: for `maxLength: 200`, texts of 200 and 201 characters. */
export class Derivation {
  /** @param isBrief whether a few messages are enough, which take a small part of the time */
  constructor(document: OpenApiDocument, { seed = SEED, isBrief = false } = {}) {
    this.sideWithout = (mark) => sideOf(without(mark, document), seed, isBrief);
  }

  private readonly sideWithout: (mark: 'readOnly' | 'writeOnly') => Side;
  private readonly sides: { requests?: Side; replies?: Side } = {};

  get requests(): Side {
    this.sides.requests ??= this.sideWithout('readOnly');
    return this.sides.requests;
  }

  get replies(): Side {
    this.sides.replies ??= this.sideWithout('writeOnly');
    return this.sides.replies;
  }

  /** The requests for each media type of the body. */
  ofRequests(asked: Pick<Declared, 'id'>): Requests[] {
    const operation = operationOf(this.requests.operations, asked);
    const { parameters, body } = operation;
    const located = (location: Parameter['in']) =>
      objectOf(
        parameters
          .filter((each) => each.in === location)
          .map(({ name, schema, required = false }) => [name, { allOf: [schema, NOT_EMPTY] }, required]),
      );
    const contents = body === undefined ? [undefined] : [...body.types];
    return contents.map((content) => {
      const [mediaType, media] = content ?? [];
      const schema = objectOf([
        ['path', located('path'), true],
        ['query', { ...located('query'), additionalProperties: false }, true],
        ['header', located('header'), true],
        ...(media === undefined ? [] : [['body', media.schema, body?.required === true] as const]),
      ]);
      const messages = this.requests.valuesFor(schema).flatMap((value) => {
        const parts = partsOf(value);
        const wire = parts && wireOf(operation, mediaType, parts);
        if (parts === undefined || wire === undefined) return [];
        const isPlain = parameters.every((each) => isWritten(parts[each.in][each.name], each, this.requests));
        return isPlain ? [{ parts, wire }] : [];
      });
      return { mediaType, schema, messages };
    });
  }

  ofReplies(asked: Pick<Declared, 'id'>): Replies[] {
    return [...operationOf(this.replies.operations, asked).replies].map(([status, { content, headers }]) => {
      const fields = Object.entries(headers).map(
        ([name, { schema, required = false }]) => [name, schema, required] as const,
      );
      const body = content === undefined ? [] : [['body', content.schema, true] as const];
      const schema = {
        ...objectOf([['headers', { ...objectOf(fields), additionalProperties: false }, true], ...body]),
        additionalProperties: false,
      };
      return { status, schema, messages: this.replies.valuesFor(schema).filter(isReply) };
    });
  }
}

/** A contract as it applies to requests, or to replies. */
type Side = ReturnType<typeof sideOf>;

function sideOf(document: OpenApiDocument, seed: number, isBrief: boolean) {
  const candidates = candidatesOf(document, seed, isBrief);
  return {
    document,
    operations: readOperations(document),
    valuesFor: (schema: Keywords) => candidates.of([schema]),
    position: (schema: AnySchema) => new Position(schema, follower(document)),
  } as const;
}

/** The operation of a contract that has the id of an operation of another contract. */
export function operationOf<Of extends Declared>(operations: readonly Of[], { id }: Pick<Declared, 'id'>): Of {
  const operation = operations.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`the contract has no operation ${id}`);
  return operation;
}

function isReply(value: JsonValue): value is JsonObject & DerivedReply {
  return (
    isObject(value) && isObject(value['headers']) && Object.keys(value).every((each) => /^(headers|body)$/.test(each))
  );
}

function objectOf(rows: readonly (readonly [name: string, schema: AnySchema, required: boolean])[]): Keywords {
  return {
    type: 'object',
    properties: Object.fromEntries(rows.map(([name, schema]) => [name, schema])),
    required: rows.flatMap(([name, , required]) => (required ? [name] : [])),
  };
}

/** Whether the value has the shape in which the parameter is read: an array, an object or a single value. */
function isWritten(value: JsonValue | undefined, parameter: Parameter, side: Side): boolean {
  // A query can repeat any parameter, also one that allows a single value.
  const isRepeated = parameter.in === 'query' && isExploded(parameter) && Array.isArray(value) && value.length > 1;
  if (value === undefined || isRepeated) return true;
  const position = side.position(parameter.schema);
  const { types, names, isClosed } = position;
  if (Array.isArray(value)) return types.has('array');
  // Another name would be that of an undeclared parameter.
  if (
    isObject(value) &&
    !isClosed &&
    isSpread(parameter, position) &&
    Object.keys(value).some((each) => !names.has(each))
  )
    return false;
  return isObject(value) ? types.has('object') : !types.has('array') && !types.has('object');
}
