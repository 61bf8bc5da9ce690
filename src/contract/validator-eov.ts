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
import { type AnySchema, type Follow, follower, locationOf, type OpenApiDocument } from './document.ts';
import { ContractError, Refusal, ReplyError } from './errors.ts';
import type { ExactCheck } from './exact.ts';
import { STRING_FORMATS } from './formats.ts';
import { contractBroken, type Fault, inWords } from './faults.ts';
import { Position } from './positions.ts';
import { OF_PARAMETER, Translation } from './schemas.ts';
import { messageOf } from '../explained-error.ts';

// The only file that knows express-openapi-validator, most of all how it works inside: as a middleware it would, for each
// request, wait for promises long resolved, match the path again, parse its URL, redefine `query` and hook into the reply.
// What its two validators have compiled is called here, and they themselves only to say what is wrong.

/** The versions of the validator that the tests of contract and http were run with. */
const TESTED = ['5.6.2'];

const require = createRequire(import.meta.url);

const FORMATS = Object.fromEntries(
  Object.entries(STRING_FORMATS).map(([name, validate]) => [name, { type: 'string' as const, validate }]),
);

/** Options of Ajv, which the validator hands on. */
function ajvOptions({ checks }: Translation): Options {
  return {
    allErrors: true,
    strict: false,
    strictNumbers: true,
    // The document was held to the schema of OpenAPI.
    validateSchema: false,
    coerceTypes: false,
    validateFormats: true,
    ajvFormats: { mode: 'fast' },
    formats: FORMATS,
    serDesMap: {},
    // With `errors: false`, Ajv makes the error. Those that a keyword makes are copied for each one that there was before.
    keywords: checks.map(({ message, isValid }, index) => ({
      keyword: `exact${index}`,
      schema: false,
      errors: false,
      validate: isValid,
      error: { message },
    })),
    // An array may be shorter than its prefixItems, and longer.
    strictTuples: false,
  };
}

/** @throws ContractError if the document is not valid OpenAPI 3.1 */
export function requireOpenApi(document: OpenApiDocument): void {
  // Loaded only where it is used, as it delays a start.
  const loaded: unknown = require('express-openapi-validator/dist/framework/openapi.schema.validator.js');
  const { OpenAPISchemaValidator: Validator } = loaded as { OpenAPISchemaValidator: typeof OpenAPISchemaValidator };
  const validator = new Validator({ version: document.openapi, validateApiSpec: true });
  // Its parameter has the type of a valid document, which is what it is asked about.
  const [first] = validator.validate(document as OpenApiDocument & OpenAPIV3.DocumentV3_1).errors ?? [];
  if (first === undefined) return;
  throw new ContractError(
    `openapi.yaml is not valid OpenAPI 3.1: ${first.instancePath || 'it'} ${first.message ?? 'is invalid'}; ` +
      '`npm run generate` shows the place',
  );
}

/**
 * Compiles a validator for each operation of a contract.
 *
 * @throws ContractError if the contract does not compile
 */
export function withValidators(operations: readonly Declared[], document: OpenApiDocument): ContractOperation[] {
  requireTested(packageJson.version);
  const patterns = patternMessages(document);
  const follow = follower(document);
  const [requests, replies] = [new Translation('request', follow), new Translation('reply', follow)];
  const messages = operations.map((operation) => ({ operation, ...toMessages(operation, requests, replies) }));
  try {
    const requestValidator = new RequestValidator(toSpecification(requests.components), ajvOptions(requests));
    // A reply may be made of objects that inherit members, such as `constructor`: those are not sent.
    const replyOptions: Options = { ...ajvOptions(replies), ownProperties: true };
    const replyValidator = new ResponseValidator(toSpecification(replies.components), replyOptions);
    const compile = (operation: Named, bodies: ReadonlyMap<string, unknown>) =>
      compileRequests(operation, bodies, requestValidator, requests.checks, patterns);
    requireDefaults(requests, follow, compile);
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

/** @throws ContractError for a default that a request could not have, or that would be filled in without end */
function requireDefaults(
  { defaults }: Translation,
  follow: Follow,
  compile: (operation: Named, bodies: ReadonlyMap<string, unknown>) => OperationValidator['request'],
): void {
  let count = 0;
  for (const [schema, shown] of defaults) {
    const operation = { id: `default ${count++}`, method: 'POST' };
    const validate = compile(operation, new Map([['', { type: 'object', properties: { default: shown } }]]));
    const position = new Position(schema, follow);
    const request = { path: {}, query: {}, header: {}, body: undefined, default: position.exact(schema.default) };
    try {
      validate(request);
      position.filled(schema.default);
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof RangeError)) throw error;
      const what = error instanceof Refusal ? error.message : 'a default cannot lead to itself';
      throw new ContractError(`${locationOf(schema)}: ${what}`);
    }
  }
}

/** @throws ContractError for a version that may work otherwise inside, and let everything through */
function requireTested(installed: string): void {
  if (TESTED.includes(installed)) return;
  throw new ContractError(
    `express-openapi-validator ${installed} was not tested with this service: install ${TESTED.join(' or ')}`,
  );
}

/** A document that has nothing but what its operations, which are handed over one by one, refer to. */
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
 * Requests and replies as the validator is shown them: each as a body of JSON, with the parameters or the header fields
 * as members of it. What the validator would do to parameters by itself (texts for numbers, styles, defaults), it does
 * not do right.
 */
interface Messages {
  /** By the media type of the body; '' if there is none. */
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

/** The schema of an object that has these members and no others. */
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

/** The validator takes a response, and has no use for it where it validates requests. */
const NO_RESPONSE: unknown = {};

/** What the validator has compiled. */
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
  // What has no body is held to any of them alike.
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
  // The media type is any: http/body.ts has checked it. The validator's names for what it compiles go by the route.
  const requestBody = { required: true, content: { '*/*': { schema } } };
  const expressRoute = `${id} ${type}`;
  const openapi = { expressRoute, openApiRoute: '', pathParams: {}, schema: { requestBody }, serial: 0 };
  /** Has the validator say what is wrong. */
  const refuse = (body: RequestData) => {
    // The object has what the validator uses of an Express request.
    const light: unknown = { method, path: '', originalUrl: '/', headers: {}, params: {}, query: {}, body, openapi };
    try {
      void validator.validate(light as OpenApiRequest, NO_RESPONSE as Response, () => undefined);
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      throw contractBroken(inMessage(error.errors, '/body', checks), patterns);
    }
  };
  // The validator compiles on first use: at once, so that a fault in the contract shows now.
  try {
    refuse({ path: {}, query: {}, header: {}, body: {} });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  // By its types, the validator keeps to itself what it has compiled.
  const { ajvBody } = validator as unknown as { readonly ajvBody: { getSchema(key: string): Check | undefined } };
  const isValid = ajvBody.getSchema(`${method}-${expressRoute}-not_provided`);
  if (isValid === undefined) throw new ContractError('express-openapi-validator has compiled nothing for a request');
  return (request) => {
    if (isValid({ body: request })) return;
    refuse(request);
    throw new ContractError('express-openapi-validator does not say what is wrong with a request');
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
    // What the validator comes to in the end, without its search for the media type; a fault it shall put in words.
    if (checks[name]?.['application/json']?.({ response: reply })) return;
    try {
      // By its types only a number, but it takes any name of a response.
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

/** By response and media type. The validator's own type lacks the second. */
type Checks = Readonly<Record<string, Readonly<Record<string, Check>> | undefined>>;

/** Faults of a message, which the validator takes for a body, by their paths in it and by the contract's keywords. */
function inMessage(faults: readonly Fault[], body: string, checks: readonly ExactCheck[]): Fault[] {
  // Beside that of an `if` stand those of its branch, which say what is wrong.
  const own = faults.filter(({ errorCode = '' }) => !errorCode.startsWith('if.'));
  return own.map(({ path, message, errorCode = '' }) => {
    const [, index] = /^exact(\d+)\./.exec(errorCode) ?? [];
    const keyword = index === undefined ? errorCode : (checks[Number(index)]?.keyword ?? '');
    return { path: path.slice(body.length), message, errorCode: keyword };
  });
}
