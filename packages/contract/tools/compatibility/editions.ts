import { isUtf8 } from 'node:buffer';
import { replyFor } from '../../src/message/content.ts';
import type { Contract, ContractBody, ContractOperation } from '../../src/message/operation.ts';
import { readOperations } from '../../src/contract.ts';
import { type AnySchema, type Follow, follower, type OpenApiDocument } from '../../src/schema/document.ts';
import { keywordsThat } from '../../src/schema/applicators.ts';
import { OF_ANY_OTHER } from '../../src/schema/subschemas.ts';
import { Refusal } from '../../src/refusal.ts';
import { outlinesOf } from '../../src/message/undeclared.ts';
import { ReplyError } from '../../src/message/faults.ts';
import { Position } from '../../src/schema/positions.ts';
import { notUtf8, type MessageBody, validateRequest } from '../../src/request.ts';
import { withValidators } from '../../src/validator/operations.ts';
import { Derivation, type DerivedReply, type DerivedRequest } from '../derivation/messages.ts';
import { valueAt, withSchemas } from '../derivation/schemas.ts';
import { isObject, type JsonValue } from '../derivation/values.ts';
import { bytesFor, payloadOf, type Wire } from '../derivation/wire.ts';

/** A contract with messages that are derived from it, and the verdicts of its validators on any message. */
export class Edition {
  readonly contract: Contract;
  private readonly follow: Follow;
  private readonly derivation: Derivation;
  private readonly positions = new Map<AnySchema, Position>();

  constructor(contract: Contract) {
    this.contract = contract;
    this.follow = follower(contract.document);
    this.derivation = new Derivation(contract.document);
  }

  /** Valid and invalid requests. */
  requests(operation: ContractOperation): readonly DerivedRequest[] {
    return this.derivation.ofRequests(operation).flatMap(({ messages }) => messages);
  }

  /** Valid and invalid replies. @param status as declared */
  replies(operation: ContractOperation, status: string): readonly DerivedReply[] {
    return this.derivation.ofReplies(operation).find((each) => each.status === status)?.messages ?? [];
  }

  position(schema: AnySchema): Position {
    return this.positions.getOrInsertComputed(schema, () => new Position(schema, this.follow));
  }

  /** What happens there to the members of an object that no schema names. */
  othersOf({ roots, types }: Position): string {
    return types.has('object') ? outlinesOf(this.follow).othersOf(roots) : 'none';
  }

  /**
   * The declared headers and members, such as `body.parts[].id`, of those replies that the service may send.
   *
   * @param isAnyPlace whether each item counts both at its index, and as one of all: clients read the first two of a list at
   *   their indices if these have schemas of their own
   */
  membersSent(
    operation: ContractOperation,
    status: string,
    replies: readonly DerivedReply[],
    isAnyPlace: boolean,
  ): Set<string> {
    const { content, headers = {} } = operation.replies.get(status) ?? {};
    const position = content && this.position(content.schema);
    const declared = namesIn(headers);
    const sent = replies.filter((each) => this.faultOf(operation, status, each) === undefined);
    return new Set(
      sent.flatMap((reply) => {
        const fields = [...namesIn(reply.headers).intersection(declared)].map((name) => `header ${name}`);
        return position === undefined
          ? fields
          : [...fields, ...this.membersIn(reply.body, position, 'body', isAnyPlace)];
      }),
    );
  }

  private membersIn(value: JsonValue | undefined, position: Position, name: string, isAnyPlace: boolean): string[] {
    const within = (each: JsonValue, place: Position, at: string) => this.membersIn(each, place, at, isAnyPlace);
    // An array where any type may stand has no items that a client could rely on.
    if (Array.isArray(value) && position.types.size < 7)
      return (value as readonly JsonValue[]).flatMap((each, index) => {
        const isPlaced = index < position.places;
        const names = [...(isPlaced || isAnyPlace ? [String(index)] : []), ...(isPlaced && !isAnyPlace ? [] : [''])];
        return names.flatMap((at) => within(each, position.item(index), `${name}[${at}]`));
      });
    if (!isObject(value)) return [name];
    const areKept = this.othersOf(position) === 'kept';
    const members = Object.entries(value).flatMap(([each, member]) => {
      if (position.names.has(each)) return within(member, position.member(each), `${name}.${each}`);
      // In a map, clients rely on what is declared within a member, and on no member.
      return areKept ? within(member, position.member(each), `${name}{}`).filter((at) => at !== `${name}{}`) : [];
    });
    return [name, ...members];
  }

  /** Whether the service may send a reply. @param status as declared in either contract */
  maySend(operation: ContractOperation, status: string, reply: DerivedReply): boolean {
    const declared = replyFor(operation.replies, status);
    const isDeclared = namesIn(reply.headers).isSubsetOf(namesIn(declared?.headers ?? {}));
    return isDeclared && this.faultOf(operation, status, reply) === undefined;
  }

  /** The fault of a reply for a client, which ignores headers that it does not know; undefined: none. */
  faultOf({ replies, validator }: ContractOperation, status: string, reply: DerivedReply): string | undefined {
    const declared = replyFor(replies, status);
    const fields = new Map(Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]));
    const headers = Object.entries(declared?.headers ?? {}).flatMap(([name, { schema }]) => {
      const value = fields.get(name.toLowerCase());
      return value === undefined ? [] : [[name, returned(value, this.position(schema))] as const];
    });
    const { body } = reply;
    const { kind, position } = declared?.content ?? {};
    const content = body === undefined ? undefined : kind === 'bytes' ? bytesFor(body) : returned(body, position);
    return faultIn(() => {
      validator.reply(status, Object.fromEntries(headers), content);
    });
  }
}

/** Why the service refuses a request; undefined: it does not. */
export function refusalOf(operation: ContractOperation, { sent, body }: Wire): string | undefined {
  if (body === undefined && operation.body?.required === true) return 'body is missing';
  if (body !== undefined && operation.body?.types.has(body.mediaType) !== true)
    return `a body of the media type ${body.mediaType} is not declared`;
  return faultIn(() => validateRequest(sent, body && received(body, operation.body), operation));
}

/** The same bytes, of the kind that the contract declares. @throws Refusal */
function received(body: NonNullable<Wire['body']>, declared: ContractBody | undefined): MessageBody {
  const { mediaType } = body;
  const isBytes = declared?.types.get(mediaType)?.kind === 'bytes';
  if (isBytes === !('text' in body)) return body;
  const bytes = Buffer.from(payloadOf(body));
  if (isBytes) return { mediaType, value: bytes };
  if (!isUtf8(bytes)) throw notUtf8();
  return { mediaType, text: bytes.toString('utf8') };
}

function faultIn(validate: () => unknown): string | undefined {
  try {
    validate();
    return undefined;
  } catch (error) {
    if (error instanceof ReplyError) return error.words;
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/** Converts a value to what an operation returns: only an int64 is a bigint. */
export function returned(value: JsonValue, position: Position | undefined): unknown {
  if (typeof value === 'bigint') return position?.int64 === true ? value : Number(value);
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((each, index) => returned(each, position?.item(index)));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, each]) => [name, returned(each, position?.member(name))] as const);
  return Object.fromEntries(members);
}

/** The names of headers, whose case has no meaning. */
function namesIn(headers: object): Set<string> {
  return new Set(Object.keys(headers).map((name) => name.toLowerCase()));
}

const LIMITS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].concat(
  ['Length', 'Items', 'Properties'].flatMap((each) => [`min${each}`, `max${each}`]),
);
/** With `false`, these forbid the members that a schema does not name. */
const CLOSING: readonly string[] = OF_ANY_OTHER;
/** Beneath these, a schema that allows more may make another one allow less. */
const INVERTING: readonly string[] = [
  'oneOf',
  ...keywordsThat(({ to, holds }) => holds === 'by a test' || to === 'names'),
];

/**
 * The old contract as it binds replies. This project decided that clients ignore members that they do not know, and that
 * a limit may be widened: a length, a bound, a count, or a pattern that is dropped.
 */
export function tolerant(was: Contract, is: Contract): Edition {
  const document = withSchemas(was.document, (schema, at) => {
    if (at.some((name) => INVERTING.includes(name))) return schema;
    const other = valueAt(is.document, at);
    const isDropped = ([keyword, value]: readonly [string, unknown]) =>
      LIMITS.includes(keyword) ||
      (value === false && CLOSING.includes(keyword)) ||
      (keyword === 'pattern' && isObject(other) && other['pattern'] === undefined);
    return Object.fromEntries(Object.entries(schema).filter((each) => !isDropped(each)));
  });
  return new Edition(withDocument(was, document));
}

export function withDocument(contract: Contract, document: OpenApiDocument): Contract {
  return { ...contract, document, operations: withValidators(readOperations(document), document) };
}
