import type { Response } from 'express';
import { createRequire } from 'node:module';
import packageJson from 'express-openapi-validator/package.json' with { type: 'json' };
import type { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator.js';
import {
  BadRequest,
  type OpenApiRequest,
  type OpenAPIV3,
  type Options,
} from 'express-openapi-validator/dist/framework/types.js';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import { ajvErrorsToValidatorError } from 'express-openapi-validator/dist/middlewares/util.js';
import {
  type ContractOperation,
  type Declared,
  type OperationValidator,
  patternMessages,
  type RequestData,
} from './contract.ts';
import { type AnySchema, type Follow, follower, locationOf, type OpenApiDocument } from './document.ts';
import { ContractError, Refusal, ReplyError } from './errors.ts';
import type { ExactCheck } from './exact.ts';
import { STRING_FORMATS } from './formats.ts';
import { contractBroken, type Fault, inWords } from './faults.ts';
import { Position } from './positions.ts';
import { OF_PARAMETER, Translation } from './schemas.ts';
import { requireBoundedWork } from './work.ts';
import { MAX_BODY_BYTES } from './body-limit.ts';
import { messageOf } from '../explained-error.ts';

// The only file that knows the internals of express-openapi-validator. It calls the functions that the validator
// compiles: as a middleware, the validator would match the path again, parse the URL, redefine `query` and hook into the
// reply, for each request.

/** The tests have passed with these versions. */
const TESTED = ['5.6.2'];

const require = createRequire(import.meta.url);

const FORMATS = Object.fromEntries(
  Object.entries(STRING_FORMATS).map(([name, validate]) => [name, { type: 'string' as const, validate }]),
);

/** The validator hands these on to Ajv. */
function ajvOptions({ checks }: Translation, allErrors: boolean): Options {
  return {
    allErrors,
    strict: false,
    strictNumbers: true,
    // requireOpenApi has checked the document.
    validateSchema: false,
    coerceTypes: false,
    validateFormats: true,
    ajvFormats: { mode: 'fast' },
    formats: FORMATS,
    serDesMap: {},
    // `errors: false` saves time: without it, Ajv copies each error that the keyword creates, once for every earlier
    // error.
    keywords: checks.map(({ message, isValid }, index) => ({
      keyword: `exact${index}`,
      schema: false,
      errors: false,
      validate: isValid,
      error: { message },
    })),
    // An array may be shorter or longer than its prefixItems.
    strictTuples: false,
  };
}

export function requireOpenApi(document: OpenApiDocument): void {
  // Not imported above, since loading it delays every start.
  const loaded: unknown = require('express-openapi-validator/dist/framework/openapi.schema.validator.js');
  const { OpenAPISchemaValidator: Validator } = loaded as { OpenAPISchemaValidator: typeof OpenAPISchemaValidator };
  const validator = new Validator({ version: document.openapi, validateApiSpec: true });
  // A cast, since the parameter has the type of a valid document.
  const [first] = validator.validate(document as OpenApiDocument & OpenAPIV3.DocumentV3_1).errors ?? [];
  if (first === undefined) return;
  throw new ContractError(
    `openapi.yaml is not valid OpenAPI 3.1: ${first.instancePath || 'it'} ${first.message ?? 'is invalid'}; ` +
      '`npm run generate` shows the place',
  );
}

/** @throws ContractError if the contract does not compile */
export function withValidators(operations: readonly Declared[], document: OpenApiDocument): ContractOperation[] {
  requireTested(packageJson.version);
  const patterns = patternMessages(document);
  const follow = follower(document);
  const [requests, replies] = [new Translation('request', follow), new Translation('reply', follow)];
  const messages = operations.map((operation) => ({ operation, ...toMessages(operation, requests, replies) }));
  try {
    const validatorOf = (allErrors: boolean) =>
      new RequestValidator(toSpecification(requests.components), ajvOptions(requests, allErrors));
    const verdicts = validatorOf(false);
    let descriptions: RequestValidator | undefined;
    const compile: CompileRequest = (operation, type, schema, faults) => {
      const check = compileRequest(operation, type, schema, verdicts);
      let describe: Check | undefined;
      return (request) => {
        if (check({ body: request })) return;
        let found = faultsIn(check, '/body', requests.checks);
        if (faults !== undefined && hasAtMost(MAX_DESCRIBED / faults, request)) {
          // A service whose clients send valid requests never compiles this.
          describe ??= compileRequest(operation, type, schema, (descriptions ??= validatorOf(true)));
          describe({ body: request });
          found = faultsIn(describe, '/body', requests.checks);
        }
        throw contractBroken(found, patterns);
      };
    };
    // Objects in a reply may inherit members such as `constructor`, which are not sent.
    const replyOptions: Options = { ...ajvOptions(replies, false), ownProperties: true };
    const replyValidator = new ResponseValidator(toSpecification(replies.components), replyOptions);
    requireDefaults(requests, follow, compile);
    return messages.map(({ operation, bodies, responses }) => ({
      ...operation,
      validator: {
        request: compileRequests(operation, bodies, requireBounded(operation, follow), compile),
        reply: compileReplies(operation, responses, replyValidator, replies.checks),
      },
    }));
  } catch (error) {
    if (error instanceof ContractError) throw error;
    throw new ContractError(`openapi.yaml does not compile: ${messageOf(error)}`);
  }
}

/**
 * Ajv copies its list of faults for each schema: describing costs the square of their number. A message that may have
 * more faults is described by its first one.
 */
const MAX_DESCRIBED = 2500;
/** Node's limit for the target and the header fields of a request, in bytes. */
const MAX_HEAD = 16 * 1024;

/** @returns the largest number of faults of one value of a request @throws ContractError */
function requireBounded({ parameters, body, replies }: Declared, follow: Follow): number {
  const bound = (schema: AnySchema, maxBytes: number) => requireBoundedWork(schema, maxBytes, follow);
  for (const { content } of replies.values()) if (content !== undefined) bound(content.schema, MAX_BODY_BYTES);
  const bodies = [...(body?.types.values() ?? [])].map(({ schema }) => bound(schema, body?.maxBytes ?? 0));
  return Math.max(1, ...bodies, ...parameters.map(({ schema }) => bound(schema, MAX_HEAD)));
}

/** Whether a JSON value and all of its parts are at most so many values. */
function hasAtMost(values: number, root: unknown): boolean {
  let left = values;
  const visit = (value: unknown): boolean =>
    --left >= 0 && (typeof value !== 'object' || value === null || Object.values(value).every(visit));
  return visit(root);
}

type Named = Pick<Declared, 'id' | 'method'>;

/** @param faults the largest number of faults of one value; undefined: only the first one is described */
type CompileRequest = (
  operation: Named,
  type: string,
  schema: unknown,
  faults?: number,
) => (request: RequestData) => void;

/** @throws ContractError for a default that is not valid, or that contains itself */
function requireDefaults({ defaults }: Translation, follow: Follow, compile: CompileRequest): void {
  let count = 0;
  for (const [schema, shown] of defaults) {
    const operation = { id: `default ${count++}`, method: 'POST' };
    const validate = compile(operation, '', { type: 'object', properties: { default: shown } });
    const position = new Position(schema, follow);
    const request = { path: {}, query: {}, header: {}, body: undefined, default: position.exact(schema.default) };
    try {
      validate(request);
      position.filled(schema.default);
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof RangeError)) throw error;
      const what = error instanceof Refusal ? error.message : 'a default must not contain itself';
      throw new ContractError(`${locationOf(schema)}: ${what}`);
    }
  }
}

/** Another version may differ inside, and then accept every request. */
function requireTested(installed: string): void {
  if (TESTED.includes(installed)) return;
  throw new ContractError(
    `express-openapi-validator ${installed} was not tested with this service: install ${TESTED.join(' or ')}`,
  );
}

/** A document with schemas only: the validator gets the operations one by one. */
function toSpecification(schemas: object): OpenAPIV3.DocumentV3_1 {
  return {
    openapi: '3.1.0',
    info: { title: '', summary: '', version: '' },
    paths: {},
    webhooks: {},
    components: { schemas: { ...schemas } },
  };
}

/**
 * The schemas of requests and replies for the validator. Parameters and header fields are members of one JSON body
 * there, because the validator has faults in its own handling of parameters (types, styles, defaults).
 */
interface Messages {
  /** By media type; '' without a body. */
  readonly bodies: ReadonlyMap<string, unknown>;
  /** By status. */
  readonly responses: ReadonlyMap<string, unknown>;
}

function toMessages(
  { parameters: declared, body, replies: statuses }: Declared,
  requests: Translation,
  replies: Translation,
): Messages {
  const parameters = (['path', 'query', 'header'] as const).map((location) => {
    const own = declared.filter((each) => each.in === location);
    return [location, closed(own, (schema) => requests.schema(schema, OF_PARAMETER))] as const;
  });
  const toRequest = (schema: unknown) => ({
    type: 'object',
    properties: { ...Object.fromEntries(parameters), body: schema },
  });
  const bodies = [...(body?.types ?? [])].map(
    ([type, { schema }]) => [type, toRequest(requests.schema(schema))] as const,
  );
  const responses = [...statuses].map(([status, { headers, content }]) => {
    const fields = Object.entries(headers).map(([name, header]) => ({ name, ...header }));
    const properties = {
      headers: closed(fields, (schema) => replies.schema(schema)),
      body: content === undefined ? false : replies.schema(content.schema),
    };
    const required = content === undefined ? ['headers'] : ['headers', 'body'];
    return [status, { type: 'object', required, properties }] as const;
  });
  return { bodies: new Map(bodies.length > 0 ? bodies : [['', toRequest(false)]]), responses: new Map(responses) };
}

/** The schema of an object with no other members. */
function closed(
  members: readonly { readonly name: string; readonly required?: boolean; readonly schema: AnySchema }[],
  translate: (schema: AnySchema) => unknown,
): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: members.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, translate(schema)])),
  };
}

/** The validator does not use the response when it validates a request. */
const NO_RESPONSE: unknown = {};

/** A compiled schema. `errors` has the faults of the value that it refused last. */
interface Check {
  (data: object): boolean;
  errors?: Parameters<typeof ajvErrorsToValidatorError>[1] | null;
}

function compileRequests(
  operation: Named,
  bodies: ReadonlyMap<string, unknown>,
  faults: number,
  compile: CompileRequest,
): OperationValidator['request'] {
  const compiled = new Map([...bodies].map(([type, schema]) => [type, compile(operation, type, schema, faults)]));
  // Without a body, all of them check the same.
  const [first] = compiled.values();
  return (request, mediaType = '') => (compiled.get(mediaType) ?? first)?.(request);
}

function compileRequest({ id, method }: Named, type: string, schema: unknown, validator: RequestValidator): Check {
  // The media type is `*/*`, because http/body.ts has already checked the one of the request. The validator names a
  // compiled schema by its route.
  const requestBody = { required: true, content: { '*/*': { schema } } };
  const expressRoute = `${id} ${type}`;
  const openapi = { expressRoute, openApiRoute: '', pathParams: {}, schema: { requestBody }, serial: 0 };
  const body: RequestData = { path: {}, query: {}, header: {}, body: {} };
  // The members of an Express request that the validator reads.
  const light: unknown = { method, path: '', originalUrl: '/', headers: {}, params: {}, query: {}, body, openapi };
  // The validator compiles on first use; a fault in the contract must show at the start.
  try {
    void validator.validate(light as OpenApiRequest, NO_RESPONSE as Response, () => undefined);
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error;
  }
  // `ajvBody` is private in the validator's types.
  const { ajvBody } = validator as unknown as { readonly ajvBody: { getSchema(key: string): Check | undefined } };
  const check = ajvBody.getSchema(`${method}-${expressRoute}-not_provided`);
  if (check === undefined) throw new ContractError('express-openapi-validator did not compile the schema of a request');
  return check;
}

function compileReplies(
  { id, method }: Declared,
  responses: ReadonlyMap<string, unknown>,
  validator: ResponseValidator,
  exact: readonly ExactCheck[],
): OperationValidator['reply'] {
  const declared: unknown = Object.fromEntries(
    [...responses].map(([status, schema]) => [status, { content: { 'application/json': { schema } } }]),
  );
  const request: unknown = { method, headers: {}, openapi: { expressRoute: id } };
  const validators = validator._getOrBuildValidator(request as OpenApiRequest, declared as OpenAPIV3.ResponsesObject);
  const checks = validators as unknown as Checks;
  return (status, headers, body) => {
    const check = (checks[String(status)] ?? checks['default'])?.['application/json'];
    if (check === undefined) throw new ContractError(`express-openapi-validator did not compile the replies of ${id}`);
    if (check({ response: { headers, body } })) return;
    throw new ReplyError(`the reply of ${id} breaks the contract: ${inWords(faultsIn(check, '/response', exact))}`);
  };
}

/** By status and media type; the validator's own type lacks the media type. */
type Checks = Readonly<Record<string, Readonly<Record<string, Check>> | undefined>>;

/** The faults that a check found, in the paths and keywords of the contract. */
function faultsIn(check: Check, body: string, checks: readonly ExactCheck[]): Fault[] {
  const { errors } = ajvErrorsToValidatorError(400, check.errors ?? []);
  // What a client sent must not stay in memory.
  check.errors = null;
  // The faults of the branch of an `if` say more than that of the `if` itself.
  const own = errors.filter(({ errorCode }) => !errorCode?.startsWith('if.'));
  return own.map(({ path, message, errorCode = '' }) => {
    const [, index] = /^exact(\d+)\./.exec(errorCode) ?? [];
    const keyword = index === undefined ? errorCode : (checks[Number(index)]?.keyword ?? '');
    return { path: path.slice(body.length), message, errorCode: keyword };
  });
}
