import {
  type Content,
  type DeclaredOperation,
  type Method,
  METHODS,
  type OpenApiDocument,
  parseDocument,
  type PathItem,
  type Resolve,
  type Security,
} from './document.ts';
import { ContractError } from './errors.ts';
import { placeOf } from './places.ts';
import { Position } from './positions.ts';

/** A contract that this service can hold to: its document and what is needed of it on the way of a request. */
export interface Contract {
  /** The text of openapi.yaml. */
  readonly yaml: string;
  readonly document: OpenApiDocument;
  readonly operations: readonly ContractOperation[];
  /** What a value that does not match is told, by the pattern: `x-pattern-message` beside it. */
  readonly patterns: ReadonlyMap<string, string>;
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
}

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
 * Reads the contract from the text of openapi.yaml.
 *
 * @throws ContractError naming what is broken, or what this service cannot hold to
 */
export function parseContract(yaml: string): Contract {
  const { document, resolve } = parseDocument(yaml);
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) => {
    if (item.$ref !== undefined)
      throw new ContractError(`${placeOf(item)}, ${path}: a path must be written out, not referred to`);
    return METHODS.flatMap((method) => {
      const declared = item[method];
      return declared === undefined ? [] : [readOperation(document, resolve, path, method, item, declared)];
    });
  });
  const ids = operations.map(({ id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined)
    throw new ContractError(`openapi.yaml has two operations with the operationId ${repeated}`);
  return { yaml, document, operations, patterns: new Map(patternMessages(document)) };
}

function readOperation(
  document: OpenApiDocument,
  resolve: Resolve,
  path: string,
  method: Method,
  item: PathItem,
  declared: DeclaredOperation,
): ContractOperation {
  const where = `${method} ${path}`;
  const place = placeOf(declared);
  if (declared.operationId === undefined) throw new ContractError(`${place}, ${where}: the operationId is missing`);
  if (!/^[A-Za-z_$][\w$]*$/.test(declared.operationId)) {
    throw new ContractError(
      `${place}, ${where}: the operationId ${declared.operationId} must be a name that TypeScript can have`,
    );
  }
  return {
    id: declared.operationId,
    method: method.toUpperCase(),
    path,
    public: isPublic(document, declared.security ?? document.security ?? [], where),
    parameters: readParameters(item, declared, resolve, where),
    body: readBody(declared, resolve, where),
    replies: new Map(
      Object.entries(declared.responses ?? {}).map(([status, reference]) => {
        const { content = {}, headers = {} } = resolve(reference);
        const [body, ...others] = [...readContent(content, resolve, `${where}, response ${status}`)];
        if (others.length > 0)
          throw new ContractError(`${placeOf(content)}, ${where}, response ${status}: only one media type can be sent`);
        const headersRequired = Object.values(headers).some((header) => resolve(header).required === true);
        const names = Object.keys(headers);
        return [status, { mediaType: body?.[0], position: body?.[1], headers: names, headersRequired }];
      }),
    ),
  };
}

function* patternMessages(node: unknown): Generator<[string, string]> {
  if (typeof node !== 'object' || node === null) return;
  const { pattern, 'x-pattern-message': message } = node as Record<string, unknown>;
  if (typeof pattern === 'string' && typeof message === 'string') yield [pattern, message];
  for (const each of Object.values(node)) yield* patternMessages(each);
}

function isPublic(document: OpenApiDocument, security: Security, where: string): boolean {
  for (const scheme of security.flatMap((alternative) => Object.keys(alternative))) {
    const declared = document.components?.securitySchemes?.[scheme];
    if (declared?.type !== 'http' || declared.scheme?.toLowerCase() !== 'bearer') {
      throw new ContractError(
        `${placeOf(security)}, ${where}: the security scheme ${scheme} must be declared, of type http, scheme bearer`,
      );
    }
  }
  return security.length === 0 || security.some((alternative) => Object.keys(alternative).length === 0);
}

function readParameters(
  item: PathItem,
  operation: DeclaredOperation,
  resolve: Resolve,
  where: string,
): ContractParameter[] {
  // A parameter of the operation takes the place of one of the path with the same name and location.
  const declared = new Map(
    [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((reference) => {
      const parameter = resolve(reference);
      return [`${parameter.in} ${parameter.name}`, parameter];
    }),
  );
  return [...declared.values()].map((parameter) => {
    const at = `${placeOf(parameter)}, ${where}, parameter ${parameter.name}`;
    if (parameter.name.includes('[')) throw new ContractError(`${at}: a name with a bracket is not supported`);
    if (parameter.in === 'cookie') throw new ContractError(`${at}: parameters in cookies are not supported`);
    if (parameter.schema === undefined) throw new ContractError(`${at}: it must have a schema`);
    const position = Position.of(parameter.schema, resolve);
    if (position?.int64 === false)
      throw new ContractError(`${at}: an int64 must be the parameter itself, not a part of it`);
    return { name: parameter.name, in: parameter.in, int64: position !== undefined };
  });
}

function readBody(declared: DeclaredOperation, resolve: Resolve, where: string): ContractBody | undefined {
  if (declared.requestBody === undefined) return undefined;
  const { required = false, content } = resolve(declared.requestBody);
  return { required, types: readContent(content, resolve, `${where}, requestBody`) };
}

function readContent(content: Content, resolve: Resolve, where: string): Map<string, Position | undefined> {
  return new Map(
    Object.entries(content).map(([type, media]) => {
      const { schema } = media;
      const at = `${placeOf(media)}, ${where}`;
      if (!JSON_TYPE.test(type)) {
        throw new ContractError(
          `${at}: the media type ${type} is not JSON: write application/json or application/….+json, in small letters`,
        );
      }
      if (schema === undefined) throw new ContractError(`${at}: ${type} must have a schema`);
      return [type, Position.of(schema, resolve)];
    }),
  );
}
