import type { Response } from 'express';
import { createRequire } from 'node:module';
import packageJson from 'express-openapi-validator/package.json' with { type: 'json' };
import type { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator.js';
import {
  BadRequest,
  InternalServerError,
  type OpenApiRequest,
  type OpenAPIV3,
  type Options,
} from 'express-openapi-validator/dist/framework/types.js';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import {
  type ContractOperation,
  type Declared,
  type OperationValidator,
  patternMessages,
  type RequestData,
} from './contract.ts';
import { type DefaultTrial, trialsOfDefaults } from './defaults.ts';
import { type AnySchema, follower, type OpenApiDocument } from './document.ts';
import { ContractError, Refusal, ReplyError } from './errors.ts';
import type { ExactCheck } from './exact.ts';
import { STRING_FORMATS } from './formats.ts';
import { contractBroken, type Fault, inWords } from './faults.ts';
import { OF_PARAMETER, Translation } from './schemas.ts';
import { messageOf } from '../explained-error.ts';

// The only file that knows the internals of express-openapi-validator. It calls the functions that the validator
// compiles, and the validator itself only to describe a fault: as a middleware, the validator would match the path
// again, parse the URL, redefine `query` and hook into the reply, for each request.

/** The tests have passed with these versions. */
const TESTED = ['5.6.2'];

const require = createRequire(import.meta.url);

const FORMATS = Object.fromEntries(
  Object.entries(STRING_FORMATS).map(([name, validate]) => [name, { type: 'string' as const, validate }]),
);

/** The validator hands these on to Ajv. */
function ajvOptions({ checks }: Translation): Options {
  return {
    allErrors: true,
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
  const trials = trialsOfDefaults(operations, requests, follow);
  try {
    const requestValidator = new RequestValidator(toSpecification(requests.components), ajvOptions(requests));
    // Objects in a reply may inherit members such as `constructor`, which are not sent.
    const replyOptions: Options = { ...ajvOptions(replies), ownProperties: true };
    const replyValidator = new ResponseValidator(toSpecification(replies.components), replyOptions);
    const compile = (operation: Named, bodies: ReadonlyMap<string, unknown>) =>
      compileRequests(operation, bodies, requestValidator, requests.checks, patterns);
    requireDefaults(trials, compile);
    return messages.map(({ operation, bodies, responses }) => ({
      ...operation,
      validator: {
        request: compile(operation, bodies),
        reply: compileReplies(operation, responses, replyValidator, replies.checks),
      },
    }));
  } catch (error) {
    if (error instanceof ContractError) throw error;
    throw new ContractError(`openapi.yaml does not compile: ${messageOf(error)}`);
  }
}

type Named = Pick<Declared, 'id' | 'method'>;

/** @throws ContractError for a default that its place refuses */
function requireDefaults(
  trials: readonly DefaultTrial[],
  compile: (operation: Named, bodies: ReadonlyMap<string, unknown>) => OperationValidator['request'],
): void {
  for (const [index, { name, shown, sent, filled, location }] of trials.entries()) {
    const operation = { id: `default ${index}`, method: 'POST' };
    const validate = compile(operation, new Map([['', { type: 'object', properties: { [name]: shown } }]]));
    const faultOf = (value: unknown) => {
      try {
        validate({ path: {}, query: {}, header: {}, body: undefined, ...(value !== undefined && { [name]: value }) });
        return undefined;
      } catch (error) {
        if (error instanceof Refusal) return error.message;
        throw error;
      }
    };
    const fault = faultOf(sent) === undefined ? faultOf(filled) : undefined;
    if (fault !== undefined) throw new ContractError(`${location}: ${fault}`);
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

/** A compiled schema. */
type Check = (data: object) => boolean;

function compileRequests(
  operation: Named,
  bodies: ReadonlyMap<string, unknown>,
  validator: RequestValidator,
  checks: readonly ExactCheck[],
  patterns: ReadonlyMap<string, string>,
): OperationValidator['request'] {
  const compiled = new Map(
    [...bodies].map(([type, schema]) => [type, compileRequest(operation, type, schema, validator, checks, patterns)]),
  );
  // Without a body, all of them check the same.
  const [first] = compiled.values();
  return (request, mediaType = '') => (compiled.get(mediaType) ?? first)?.(request);
}

function compileRequest(
  { id, method }: Named,
  type: string,
  schema: unknown,
  validator: RequestValidator,
  checks: readonly ExactCheck[],
  patterns: ReadonlyMap<string, string>,
): (request: RequestData) => void {
  // The media type is `*/*`, because http/body.ts has already checked the one of the request. The validator names a
  // compiled schema by its route.
  const requestBody = { required: true, content: { '*/*': { schema } } };
  const expressRoute = `${id} ${type}`;
  const openapi = { expressRoute, openApiRoute: '', pathParams: {}, schema: { requestBody }, serial: 0 };
  const refuse = (body: RequestData) => {
    // The members of an Express request that the validator reads.
    const light: unknown = { method, path: '', originalUrl: '/', headers: {}, params: {}, query: {}, body, openapi };
    try {
      void validator.validate(light as OpenApiRequest, NO_RESPONSE as Response, () => undefined);
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      throw contractBroken(inMessage(error.errors, '/body', checks), patterns);
    }
  };
  // The validator compiles on first use; a fault in the contract must show at the start.
  try {
    refuse({ path: {}, query: {}, header: {}, body: {} });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  // `ajvBody` is private in the validator's types.
  const { ajvBody } = validator as unknown as { readonly ajvBody: { getSchema(key: string): Check | undefined } };
  const isValid = ajvBody.getSchema(`${method}-${expressRoute}-not_provided`);
  if (isValid === undefined)
    throw new ContractError('express-openapi-validator did not compile the schema of a request');
  return (request) => {
    if (isValid({ body: request })) return;
    refuse(request);
    throw new ContractError('express-openapi-validator refused a request without naming a fault');
  };
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
    const name = String(status) in checks ? String(status) : 'default';
    const reply = { headers, body };
    // The same result as that of `_validate`, which would first search for the media type.
    if (checks[name]?.['application/json']?.({ response: reply })) return;
    try {
      // Declared as a number, but `default` works too.
      const statusCode: unknown = name;
      validator._validate({ validators, body: reply, statusCode: statusCode as number, path: '', accepts: [] });
    } catch (error) {
      if (!(error instanceof InternalServerError)) throw error;
      throw new ReplyError(
        `the reply of ${id} breaks the contract: ${inWords(inMessage(error.errors, '/response', exact))}`,
      );
    }
  };
}

/** By status and media type; the validator's own type lacks the media type. */
type Checks = Readonly<Record<string, Readonly<Record<string, Check>> | undefined>>;

/** Translates paths of the validator's body, and names of exact checks, into those of the contract. */
function inMessage(faults: readonly Fault[], body: string, checks: readonly ExactCheck[]): Fault[] {
  // The faults of the branch of an `if` say more than that of the `if` itself.
  const own = faults.filter(({ errorCode = '' }) => !errorCode.startsWith('if.'));
  return own.map(({ path, message, errorCode = '' }) => {
    const [, index] = /^exact(\d+)\./.exec(errorCode) ?? [];
    const keyword = index === undefined ? errorCode : (checks[Number(index)]?.keyword ?? '');
    return { path: path.slice(body.length), message, errorCode: keyword };
  });
}
