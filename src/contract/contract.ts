import {
  type Content,
  type DeclaredOperation,
  METHODS,
  type OpenApiDocument,
  type Parameter,
  locationOf,
  type Resolve,
  type Response,
  type Security,
} from './document.ts';
import { ContractError } from './errors.ts';
import type { Holder } from './int64.ts';
import { Position } from './positions.ts';

/** A contract that this service can hold to: its document and what is needed of it on the way of a request. */
export interface Contract {
  /** The text of openapi.yaml. */
  readonly yaml: string;
  readonly document: OpenApiDocument;
  readonly operations: readonly ContractOperation[];
}

export interface ContractOperation {
  /** The operationId. */
  readonly id: string;
  /** The HTTP method in capitals. */
  readonly method: string;
  /** The path template, such as `/plants/{id}`. */
  readonly path: string;
  /** Whether the operation may be called without a token. */
  readonly public: boolean;
  readonly parameters: readonly ContractParameter[];
  /** undefined: the operation takes no body. */
  readonly body: ContractBody | undefined;
  /** By status as declared: `200`, `default`. */
  readonly replies: ReadonlyMap<string, ContractReply>;
  readonly validator: OperationValidator;
}

/**
 * What of a request is held to the contract. The validator coerces parameters to their types, and fills in defaults,
 * in these very objects.
 */
export interface RequestParts {
  body: unknown;
  readonly params: Holder;
  readonly query: Holder;
  readonly headers: Holder;
  readonly originalUrl: string;
}

/** Holds the requests and the replies of one operation to the contract. */
export interface OperationValidator {
  /** @throws Refusal `contractBroken`, which names the faults */
  request(parts: RequestParts): void;
  /** @throws ReplyError that names what breaks the contract, for the log */
  reply(status: number, body: unknown): void;
  /** As reply, of its header fields by their names in small letters. */
  replyHeaders(status: number, headers: object): void;
}

/** An operation as the contract declares it, before there is a validator that holds requests to it. */
export type Declared = Omit<ContractOperation, 'validator'>;

export interface ContractParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly int64: boolean;
}

export interface ContractBody {
  readonly required: boolean;
  /** By media type; the position is undefined where the body can hold no int64. */
  readonly types: ReadonlyMap<string, Position | undefined>;
}

export interface ContractReply {
  /** undefined: the reply has no body. */
  readonly mediaType: string | undefined;
  readonly position: Position | undefined;
  /** The names of its headers. */
  readonly headers: readonly string[];
  /** Whether a header must be sent with it. */
  readonly headersRequired: boolean;
}

const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json$/;

/**
 * Reads the operations of a document.
 *
 * @throws ContractError which names what this service cannot hold to
 */
export function readOperations(document: OpenApiDocument, resolve: Resolve): Declared[] {
  const operations: Declared[] = [];
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    if (item.$ref !== undefined) refuse(item, path, 'a path must be written out, not referred to');
    for (const method of METHODS) {
      const declared = item[method];
      if (declared === undefined) continue;
      const where = `${method} ${path}`;
      const id = declared.operationId;
      if (id === undefined) refuse(declared, where, 'the operationId is missing');
      if (!/^[A-Za-z_$][\w$]*$/.test(id))
        refuse(declared, where, `the operationId ${id} must be a name that TypeScript can have`);
      if (operations.some((each) => each.id === id))
        refuse(declared, where, `another operation has the operationId ${id}`);
      operations.push({
        id,
        method: method.toUpperCase(),
        path,
        public: isPublic(document, declared.security ?? document.security ?? [], where),
        parameters: readParameters([...(item.parameters ?? []), ...(declared.parameters ?? [])], resolve, where),
        body: readDeclaredBody(declared, resolve, where),
        replies: new Map(
          Object.entries(declared.responses ?? {}).map(([status, response]) => [
            status,
            readReply(resolve(response), resolve, `${where}, response ${status}`),
          ]),
        ),
      });
    }
  }
  return operations;
}

/** What clients are told of a value that does not match a pattern, by the pattern: `x-pattern-message` beside it. */
export function patternMessages(node: unknown): ReadonlyMap<string, string> {
  const messages = new Map<string, string>();
  const visit = (each: unknown): void => {
    if (typeof each !== 'object' || each === null) return;
    const { pattern, 'x-pattern-message': message } = each as Record<string, unknown>;
    if (typeof pattern === 'string' && typeof message === 'string') messages.set(pattern, message);
    Object.values(each).forEach(visit);
  };
  visit(node);
  return messages;
}

function isPublic(document: OpenApiDocument, security: Security, where: string): boolean {
  for (const scheme of security.flatMap((alternative) => Object.keys(alternative))) {
    const declared = document.components?.securitySchemes?.[scheme];
    if (declared?.type !== 'http' || declared.scheme?.toLowerCase() !== 'bearer')
      refuse(security, where, `the security scheme ${scheme} must be declared, of type http, scheme bearer`);
  }
  return security.length === 0 || security.some((alternative) => Object.keys(alternative).length === 0);
}

function readParameters(references: readonly Parameter[], resolve: Resolve, where: string): ContractParameter[] {
  // A parameter of the operation takes the place of one of the path with the same name and location.
  const declared = new Map(
    references.map((reference) => {
      const parameter = resolve(reference);
      return [`${parameter.in} ${parameter.name}`, parameter];
    }),
  );
  return [...declared.values()].map((parameter) => {
    const { name, schema } = parameter;
    const at = `${where}, parameter ${name}`;
    if (name.includes('[')) refuse(parameter, at, 'a name with a bracket is not supported');
    if (parameter.in === 'cookie') refuse(parameter, at, 'parameters in cookies are not supported');
    if (schema === undefined) refuse(parameter, at, 'it must have a schema');
    const position = Position.of(schema, resolve);
    if (position?.int64 === false) refuse(parameter, at, 'an int64 must be the parameter itself, not a part of it');
    return { name, in: parameter.in, int64: position !== undefined };
  });
}

function readDeclaredBody(declared: DeclaredOperation, resolve: Resolve, where: string): ContractBody | undefined {
  if (declared.requestBody === undefined) return undefined;
  const { required = false, content } = resolve(declared.requestBody);
  return { required, types: readContent(content, resolve, `${where}, requestBody`) };
}

function readReply({ content = {}, headers = {} }: Response, resolve: Resolve, where: string): ContractReply {
  const [body, ...others] = readContent(content, resolve, where);
  if (others.length > 0) refuse(content, where, 'only one media type can be sent');
  const headersRequired = Object.values(headers).some((header) => resolve(header).required === true);
  return { mediaType: body?.[0], position: body?.[1], headers: Object.keys(headers), headersRequired };
}

function readContent(content: Content, resolve: Resolve, where: string): Map<string, Position | undefined> {
  return new Map(
    Object.entries(content).map(([type, media]) => {
      if (!JSON_TYPE.test(type)) {
        const forms = 'write application/json or application/….+json, in small letters';
        refuse(media, where, `the media type ${type} is not JSON: ${forms}`);
      }
      if (media.schema === undefined) refuse(media, where, `${type} must have a schema`);
      return [type, Position.of(media.schema, resolve)];
    }),
  );
}

/** @param node the map of the document that is wrong */
function refuse(node: object, where: string, what: string): never {
  throw new ContractError(`${locationOf(node)}, ${where}: ${what}`);
}
