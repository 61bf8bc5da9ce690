import { Script } from 'node:vm';
import { variablesOf } from './rules/addresses.ts';
import { readBodyLimit } from './rules/body-limit.ts';
import { bodiesOf, type ContractContent, type ContractReply, readReply, TOKEN, valuesOf } from './message/content.ts';
import {
  type DeclaredOperation,
  type Follow,
  follower,
  locationOf,
  METHODS,
  type OpenApiDocument,
  type Parameter,
  refuse,
  type Resolve,
  resolver,
} from './schema/document.ts';
import { ContractError } from './errors.ts';
import { parameterReader, type ParameterValues, type SentRequest } from './message/parameters.ts';
import { type Demand, readSecurity, requireOneScheme } from './security.ts';
import { isIgnored } from './rules/vocabulary.ts';

export interface Contract {
  readonly yaml: string;
  readonly document: OpenApiDocument;
  /** The path in `servers`, which stands before all paths: '' or such as `/api/v1`. */
  readonly basePath: string;
  /** The first one whose path matches a request applies. */
  readonly operations: readonly ContractOperation[];
}

export interface ContractOperation extends Demand {
  readonly id: string;
  readonly summary: string | undefined;
  /** In capitals. */
  readonly method: string;
  /** The path template, such as `/items/{id}`. */
  readonly path: string;
  /** The parameters, without those that OpenAPI ignores. */
  readonly parameters: readonly Parameter[];
  /** @throws Refusal */
  readonly readParameters: (sent: SentRequest) => ParameterValues;
  /** Of an object with the members path, query and header, as `readParameters` returns. */
  readonly values: ContractContent;
  readonly body: ContractBody | undefined;
  /** The key is the status as declared: `200`, `default`. */
  readonly replies: ReadonlyMap<string, ContractReply>;
  readonly validator: OperationValidator;
}

/** Any `Request` of types.ts. */
export interface RequestData extends ParameterValues {
  readonly body: unknown;
}

/** By name; undefined: not sent. */
export type HeaderValues = Readonly<Record<string, string | number | bigint | boolean | undefined>>;

/** Any `Reply` of types.ts. */
export interface ReplyData {
  readonly status: number;
  readonly headers?: HeaderValues;
  readonly body?: unknown;
}

/** Checks values in which an int64 is a bigint. */
interface OperationValidator {
  /** @param work what the verdict may cost @returns what is left of it @throws Refusal */
  request(request: RequestData, mediaType: string | undefined, work: number): number;
  /** @throws ReplyError */
  reply(status: number, headers: object, body: unknown): void;
}

export type Declared = Omit<ContractOperation, 'validator'>;

export interface ContractBody {
  readonly required: boolean;
  /** The limit holds for the body as sent and after decompression. */
  readonly maxBytes: number;
  /** The key is the media type. */
  readonly types: ReadonlyMap<string, ContractContent>;
  /** The first example in the contract. */
  readonly example: unknown;
}

/** A function with one of these names would hide what the code of an operation means by it. */
const NAMES = ['undefined', 'NaN', 'Infinity', 'globalThis'];
/** @throws ContractError */
export function readOperations(document: OpenApiDocument): Declared[] {
  const [resolve, follow] = [resolver(document), follower(document)];
  const operations: Declared[] = [];
  const demands = [];
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      const where = `${method} ${path}`;
      const id = operation.operationId;
      if (id === undefined) refuse(operation, where, 'the operationId is missing');
      if (!isNameOfFunction(id))
        refuse(operation, where, `the operationId ${id} must be a valid name of a function in TypeScript`);
      if (Object.hasOwn(Object.prototype, id))
        refuse(operation, where, `every JavaScript object has a property ${id}: choose another operationId`);
      if (NAMES.includes(id))
        refuse(operation, where, `the name ${id} has a meaning of its own in JavaScript: choose another operationId`);
      const file = id.toLowerCase();
      const same = operations.find((each) => each.id.toLowerCase() === file)?.id;
      if (same !== undefined) {
        const why = same === id ? '' : ', and some systems do not distinguish the case of file names: rename one';
        refuse(operation, where, `another operation has the operationId ${same}${why}`);
      }
      const parameters = readParameters([item.parameters ?? [], operation.parameters ?? []], resolve);
      const [ofPath, declared] = [variablesOf(path), parameters.filter((each) => each.in === 'path')];
      const undeclared = ofPath.find((name) => !declared.some((each) => each.name === name));
      if (undeclared !== undefined)
        refuse(operation, where, `the path has {${undeclared}}: declare a parameter ${undeclared} with in: path`);
      const extra = declared.find(({ name }) => !ofPath.includes(name));
      if (extra !== undefined)
        refuse(extra, where, `the path lacks {${extra.name}}: write it into the path, or remove the parameter`);
      for (const parameter of parameters) requireField(parameter, where);
      const security = operation.security ?? document.security ?? [];
      demands.push({ security, where });
      operations.push({
        id,
        summary: operation.summary,
        method: method.toUpperCase(),
        path,
        ...readSecurity(document, security, where),
        parameters,
        readParameters: parameterReader(path, parameters, follow),
        values: valuesOf(parameters, follow),
        body: readDeclaredBody(operation, resolve, follow, where),
        replies: new Map(
          Object.entries(operation.responses ?? {}).map(([status, response]) => [
            status,
            readReply(status, resolve(response), resolve, follow, `${where}, response ${status}`),
          ]),
        ),
      });
    }
  }
  requireOneScheme(demands);
  // Paths without parameters go first, or `/items/{id}` would take `/items/newest`.
  return operations.sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));
}

function requireField(parameter: Parameter, where: string): void {
  const { name, in: location } = parameter;
  if (location !== 'header') return;
  if (!TOKEN.test(name)) refuse(parameter, where, `the name ${name} is not valid for a header field`);
  // Node gives only this header as an array.
  if (name.toLowerCase() === 'set-cookie')
    refuse(parameter, where, 'a request has no header Set-Cookie: remove the parameter');
}

function isNameOfFunction(name: string): boolean {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return false;
  try {
    // This compiles the name as code of a module, which reserves `await` and `static` too, and runs nothing.
    new Script(`'use strict'; async () => { function ${name}() {} }`);
    return true;
  } catch {
    return false;
  }
}

/** @returns each `x-pattern-message` by the pattern beside it @throws ContractError if a pattern has two messages */
export function patternMessages(node: unknown): ReadonlyMap<string, string> {
  const messages = new Map<string, string>();
  const visit = (each: unknown): void => {
    if (typeof each !== 'object' || each === null) return;
    const { pattern, 'x-pattern-message': told } = each as Record<string, unknown>;
    if (typeof pattern === 'string' && typeof told === 'string') {
      // The validator reports a pattern without its place in the document.
      if ((messages.get(pattern) ?? told) !== told)
        throw new ContractError(
          `${locationOf(each, 'x-pattern-message')}: the same pattern has another x-pattern-message elsewhere: ` +
            'give both places the same text, or put one of the patterns in (?:…)',
        );
      messages.set(pattern, told);
    }
    Object.values(each).forEach(visit);
  };
  visit(node);
  return messages;
}

export function scopesOf({ operations }: Contract): string[] {
  return [...new Set(operations.flatMap(({ security }) => security.flat()))];
}

/** @param lists the parameters of the path, then those of the operation, which override them */
function readParameters(lists: readonly (readonly Parameter[])[], resolve: Resolve): Parameter[] {
  const declared = new Map<string, Parameter>();
  for (const list of lists) {
    const parameters = Map.groupBy(list.map(resolve), ({ in: location, name }) =>
      location === 'header' ? `header ${name.toLowerCase()}` : `${location} ${name}`,
    );
    for (const [key, [parameter, other]] of parameters) {
      if (other !== undefined) refuse(other, `parameter ${other.name}`, 'the parameter is declared twice');
      if (parameter !== undefined) declared.set(key, parameter);
    }
  }
  return [...declared.values()].filter((parameter) => !isIgnored(parameter));
}

function readDeclaredBody(
  operation: DeclaredOperation,
  resolve: Resolve,
  follow: Follow,
  where: string,
): ContractBody | undefined {
  if (operation.requestBody === undefined) {
    if ('x-max-body-bytes' in operation) refuse(operation, where, 'x-max-body-bytes needs a requestBody');
    return undefined;
  }
  const { required = false, content } = resolve(operation.requestBody);
  const types = bodiesOf(content, follow, `${where}, requestBody`);
  const [{ example, examples = {} } = {}] = Object.values(content);
  const [first] = Object.values(examples).map(resolve);
  const maxBytes = readBodyLimit(operation, `${where}, requestBody`);
  return { required, types, maxBytes, example: example ?? first?.value };
}
