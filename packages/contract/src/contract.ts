import { concreteFirst, variablesOf } from './rules/addresses.ts';
import { DEFAULT_BODY_BYTES, MAX_BODY_BYTES } from './rules/body-limit.ts';
import { bodiesOf, type ContractReply, readReply, valuesOf } from './message/content.ts';
import {
  type DeclaredOperation,
  type Follow,
  follower,
  METHODS,
  type OpenApiDocument,
  type Parameter,
  locationOf,
  pathItemsOf,
  responsesOf,
  refuse,
  type Resolve,
  resolver,
  type Response,
  type Security,
} from './schema/document.ts';
import { directly } from './schema/findings.ts';
import { isLarge } from './schema/exact.ts';
import { parameterReader } from './message/parameters.ts';
import { readSecurity, requireOneScheme } from './security.ts';
import type { Contract, ContractBody, Declared } from './message/operation.ts';
import { FIELD_NAME, TOKEN } from './rules/field-values.ts';
import { isIgnored, JSON_TYPE } from './rules/vocabulary.ts';

/** @param isSound false for an operation that is refused already, which is not read */
export function readOperations(
  document: OpenApiDocument,
  attempt = directly,
  isSound: (operation: object) => boolean = () => true,
): Declared[] {
  const resolve = resolver(document);
  const follow = follower(document);
  const { security: ofAll = [] } = isLarge(document.security) && isSound(document.security) ? document : {};
  const operations: Declared[] = [];
  // What comes after compiles, and compares with failures, a reply of many operations once.
  const known = new Map<Response, Map<string, ContractReply>>();
  const ids = new Set<string>();
  const demands: { readonly security: Security; readonly where: string }[] = [];
  for (const [path, item] of pathItemsOf(document, attempt))
    for (const method of METHODS) {
      const operation = item[method];
      // A value that is not an object, such as a number, is refused already.
      if (!isLarge(operation) || !isSound(operation)) continue;
      const where = `${method} ${path}`;
      const security = operation.security ?? ofAll;
      attempt(() => {
        const parameters = readParameters([item.parameters ?? [], operation.parameters ?? []], resolve);
        requireVariables(operation, path, parameters, where);
        for (const parameter of parameters) requireField(parameter, where);
        operations.push({
          id: readId(operation, ids, where),
          place: `${locationOf(operation)}, ${where}`,
          summary: operation.summary,
          method: method.toUpperCase(),
          path,
          ...readSecurity(document, security, resolve, where),
          parameters,
          readParameters: parameterReader(path, parameters, follow),
          values: valuesOf(parameters, follow),
          body: readDeclaredBody(operation, resolve, follow, where),
          replies: new Map(
            responsesOf(operation).map(([status, each]) => {
              const response = resolve(each);
              const read = () => readReply(status, response, resolve, follow, `${where}, response ${status}`);
              const ofStatuses = known.getOrInsertComputed(response, () => new Map());
              return [status, ofStatuses.getOrInsertComputed(status, read)];
            }),
          ),
        });
        demands.push({ security, where });
      });
    }
  requireOneScheme(demands, attempt);
  // For the router, as paths are a map, whose order means nothing.
  return concreteFirst(operations);
}

/** @param taken the operationIds of other operations */
function readId(operation: DeclaredOperation, taken: Set<string>, where: string): string {
  const { operationId: id } = operation;
  if (id === undefined) refuse(operation, where, 'the operationId is missing: give one');
  if (id === '__proto__') refuse(operation, where, `no object can have a member ${id}: choose another operationId`);
  if (taken.has(id)) refuse(operation, where, `another operation has the operationId ${id}: rename one`);
  taken.add(id);
  return id;
}

function requireVariables(
  operation: DeclaredOperation,
  path: string,
  parameters: readonly Parameter[],
  where: string,
): void {
  const ofPath = variablesOf(path);
  const declared = parameters.filter((each) => each.in === 'path');
  const undeclared = ofPath.find((name) => !declared.some((each) => each.name === name));
  if (undeclared !== undefined)
    refuse(operation, where, `the path has {${undeclared}}: declare a parameter ${undeclared} with in: path`);
  const extra = declared.find(({ name }) => !ofPath.includes(name));
  if (extra !== undefined)
    refuse(extra, where, `the path lacks {${extra.name}}: write it into the path, or remove the parameter`);
}

function requireField(parameter: Parameter, where: string): void {
  const { name, in: location } = parameter;
  if (location !== 'header') return;
  if (!TOKEN.test(name)) refuse(parameter, where, `the name ${name} is not valid for a header field: ${FIELD_NAME}`);
  // Node gives only this header as an array.
  if (name.toLowerCase() === 'set-cookie')
    refuse(parameter, where, 'a request has no header Set-Cookie: remove the parameter');
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
      if (other !== undefined)
        refuse(other, `parameter ${other.name}`, 'the parameter is declared twice: leave one out');
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
    if ('x-max-body-bytes' in operation)
      refuse(operation, where, 'x-max-body-bytes needs a requestBody: declare one, or leave it out');
    return undefined;
  }
  const { required = false, content } = resolve(operation.requestBody);
  const types = bodiesOf(content, follow, `${where}, requestBody`);
  const all = Object.entries(content);
  const [, { example, examples = {} } = {}] = all.find(([type]) => JSON_TYPE.test(type)) ?? all[0] ?? [];
  const [first] = Object.values(examples).map(resolve);
  const { 'x-max-body-bytes': maxBytes = DEFAULT_BODY_BYTES } = operation;
  if (maxBytes > MAX_BODY_BYTES && types.values().some(({ kind }) => kind !== 'bytes'))
    refuse(operation, where, `x-max-body-bytes can be more than ${MAX_BODY_BYTES} only where all bodies are bytes`);
  return { required, types, maxBytes, example: example ?? first?.value };
}
