import url from 'node:url';
import type { Response } from 'express';
import { error as validatorErrors } from 'express-openapi-validator';
import packageJson from 'express-openapi-validator/package.json' with { type: 'json' };
import { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator.js';
import { OpenApiSpecLoader } from 'express-openapi-validator/dist/framework/openapi.spec.loader.js';
import type { OpenApiRequest, OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { RequestValidator, ResponseValidator } from 'express-openapi-validator/dist/middlewares/index.js';
import { SchemaPreprocessor } from 'express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js';
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import { parse } from 'yaml';
import type { ContractOperation, Declared, OperationValidator } from './contract.ts';
import { METHODS, type OpenApiDocument, type Resolve, resolver } from './document.ts';
import { ContractError, Refusal, ReplyError } from './errors.ts';
import { contractBroken, inWords } from './faults.ts';
import { isWithinInt64 } from './int64.ts';
import { messageOf } from '../explained-error.ts';

// The only file that knows express-openapi-validator, most of all how it works inside: as a middleware it would, for each
// request, wait for promises long resolved, match the path again, redefine `query` and hook into the reply. Its two
// validators are called here with light objects instead of Express's, and what they look up of an operation is looked up
// once: 1.45 times the creates.

/** The versions of the validator that the tests of contract and http were run with. */
const TESTED = ['5.6.2'];

const ALL_ERRORS = { allErrors: true };

/** @throws ContractError if the document is not valid OpenAPI 3.1 */
export function requireOpenApi(document: OpenApiDocument): void {
  const validator = new OpenAPISchemaValidator({ version: document.openapi, validateApiSpec: true });
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
 * @param yaml the contract, valid OpenAPI 3.1
 * @param patterns the messages of `x-pattern-message`, by the pattern that a value must match
 * @throws ContractError if the contract does not compile
 */
export async function withValidators(
  operations: readonly Declared[],
  yaml: string,
  patterns: ReadonlyMap<string, string>,
): Promise<ContractOperation[]> {
  requireTested(packageJson.version);
  forestallDeprecationCheck();
  const apiDoc = validatorDocument(yaml);
  const { options, ajvOpts } = new OpenApiValidator({
    apiSpec: apiDoc,
    validateRequests: ALL_ERRORS,
    validateResponses: ALL_ERRORS,
    formats: { int64: { type: 'number', validate: isWithinInt64 } },
  });
  try {
    const spec = await new OpenApiSpecLoader({ apiDoc, $refParser: options.$refParser, validateApiSpec: false }).load();
    const documents = new SchemaPreprocessor(spec.apiDoc, ajvOpts.preprocessor, ALL_ERRORS).preProcess();
    const requests = new RequestValidator(documents.apiDoc, ajvOpts.request);
    const replies = new ResponseValidator(documents.apiDocRes, ajvOpts.response);
    return operations.map((operation) => {
      const validator = compileOperation(operation, patterns, documents, requests, replies);
      return { ...operation, validator };
    });
  } catch (error) {
    if (error instanceof ContractError) throw error;
    throw new ContractError(`openapi.yaml does not compile: ${messageOf(error)}`);
  }
}

/** @throws ContractError for a version that may work otherwise inside, and let everything through */
function requireTested(installed: string): void {
  if (TESTED.includes(installed)) return;
  throw new ContractError(
    `express-openapi-validator ${installed} was not tested with this service: install ${TESTED.join(' or ')}`,
  );
}

/**
 * The validator calls `url.parse` for each request. Each time Node walks the stack to tell whether to warn of that
 * (DEP0169), until it has warned once: 4 % of the time of a create. So it warns now, and is not heard.
 */
function forestallDeprecationCheck(): void {
  const { noDeprecation = false } = process;
  process.noDeprecation = true;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- see above
  url.parse('/');
  process.noDeprecation = noDeprecation;
}

/** The validator takes a response, and has no use for it where it validates requests. */
const NO_RESPONSE: unknown = {};

/** By response and media type. The validator's own type lacks the second. */
type Checks = Readonly<Record<string, Readonly<Record<string, (data: object) => boolean>> | undefined>>;

function compileOperation(
  operation: Declared,
  patterns: ReadonlyMap<string, string>,
  { apiDoc, apiDocRes }: ReturnType<SchemaPreprocessor['preProcess']>,
  requests: RequestValidator,
  replies: ResponseValidator,
): OperationValidator {
  const { id, path, method } = operation;
  const route = shownPath(path);
  const [schema, replySchema] = [apiDoc, apiDocRes].map(
    ({ paths }) => paths?.[route]?.[method.toLowerCase() as 'post'],
  );
  if (schema === undefined || replySchema?.responses === undefined)
    throw new ContractError(`the validator does not find ${id}`);
  const openapi = { expressRoute: route, openApiRoute: route, pathParams: {}, schema, serial: 0 };
  const request: unknown = { method, headers: {}, openapi };
  const validators = replies._getOrBuildValidator(request as OpenApiRequest, replySchema.responses);
  const checks = validators as unknown as Checks;
  const queryNames = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);

  function check(response: number | string, body: unknown, mediaType = 'application/json'): void {
    // What the validator comes to in the end, without its search for the media type; a fault it shall put in words.
    if (body !== undefined && body !== null && checks[response]?.[mediaType]?.({ response: body })) return;
    try {
      // By its types only a status and an object, but it takes any name of a response, and any value.
      const [statusCode, value] = [response as number, body as object];
      replies._validate({ validators, body: value, statusCode, path: '', accepts: [] });
    } catch (error) {
      if (!(error instanceof validatorErrors.InternalServerError)) throw error;
      throw new ReplyError(`the reply of ${id} breaks the contract: ${inWords(error.errors)}`);
    }
  }

  const validator: OperationValidator = {
    request({ body, params, query, headers, originalUrl }) {
      refuseDropped(Object.keys(query), queryNames);
      // The object has what the validator uses of an Express request.
      const light: unknown = {
        method,
        path,
        originalUrl,
        headers,
        params,
        query,
        body,
        openapi: { ...openapi, pathParams: params },
      };
      let passed = false as boolean;
      try {
        void requests.validate(light as OpenApiRequest, NO_RESPONSE as Response, () => {
          passed = true;
        });
      } catch (error) {
        if (error instanceof validatorErrors.BadRequest) throw contractBroken(error.errors, patterns);
        throw error;
      }
      // Should it ever answer later, nothing may pass meanwhile.
      if (!passed) throw new ContractError('express-openapi-validator, as it is called here, gave no answer');
    },
    reply(status, body) {
      check(status, body, operation.replies.get(String(status))?.mediaType);
    },
    replyHeaders(status, headers) {
      check(headersOf(status), headers);
    },
  };
  // The validator compiles on first use: at once, so that a fault in the contract shows now.
  const types = [...(operation.body?.types.keys() ?? [])];
  for (const headers of types.length > 1 ? types.map((type) => ({ 'content-type': type })) : [{}]) {
    try {
      validator.request({ params: {}, query: {}, headers, originalUrl: '/', body: {} });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return validator;
}

/** A name that the validator takes apart by its brackets: `size[min]` is a part of `size`. It drops others with brackets. */
const IN_BRACKETS = /^([^[]+)(?:\[[^[\]]*\])+$/;

/** @throws Refusal `contractBroken` for parameters with a bracket that the validator would drop */
function refuseDropped(names: readonly string[], declared: readonly string[]): void {
  const dropped = names.filter(
    (name) =>
      name.includes('[') && (name.includes('[__proto__]') || !declared.includes(IN_BRACKETS.exec(name)?.[1] ?? '')),
  );
  if (dropped.length === 0) return;
  const message = 'Unknown query parameter';
  throw contractBroken(dropped.map((name) => ({ path: `/query/${name.replaceAll('/', '~1')}`, message })));
}

/**
 * The contract as express-openapi-validator is shown it: parsed anew, as the validator changes what it is given, and
 * with what it would get wrong put differently.
 */
function validatorDocument(yaml: string): OpenAPIV3.DocumentV3_1 {
  // document.ts has found that it is one.
  const document = parse(yaml) as OpenAPIV3.DocumentV3_1;
  const resolve = resolver(document);
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => {
    item.parameters = inlined(item.parameters, resolve);
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      operation.parameters = inlined(operation.parameters, resolve);
      if (operation.requestBody !== undefined) {
        const body = resolve(operation.requestBody) as OpenAPIV3.RequestBodyObject;
        operation.requestBody = { ...body, content: forAnyType(body.content) };
      }
      const responses = Object.entries(operation.responses ?? {});
      operation.responses = Object.fromEntries(
        responses.flatMap(([status, response]) => [
          [status, response],
          [headersOf(status), headersAsBody(resolve(response) as OpenAPIV3.ResponseObject, resolve)],
        ]),
      );
    }
    return [shownPath(path), item];
  });
  // Its servers would become prefixes of the paths.
  return { ...document, paths: Object.fromEntries(paths) as OpenAPIV3.PathsObject, servers: [{ url: '/' }] };
}

/**
 * The validator sees the only media type of a body as any media type. http/body.ts has checked the header `Content-Type`
 * before, and the validator takes longer to read that header than to validate a plant. Of several media types the
 * validator must know which one it has.
 */
function forAnyType(content: OpenAPIV3.RequestBodyObject['content']): OpenAPIV3.RequestBodyObject['content'] {
  const [only, ...others] = Object.values(content);
  return only === undefined || others.length > 0 ? content : { '*/*': only };
}

/** The validator does not look at the headers of replies: it is shown them as the body of a response of this name. */
function headersOf(status: number | string): string {
  return `headers of ${status}`;
}

function headersAsBody({ headers = {} }: OpenAPIV3.ResponseObject, resolve: Resolve): OpenAPIV3.ResponseObject {
  const declared = Object.entries(headers).map(([name, reference]) => {
    const { schema = {}, required = false } = resolve(reference) as OpenAPIV3.HeaderObject;
    return { name: name.toLowerCase(), schema, required };
  });
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: declared.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(declared.map(({ name, schema }) => [name, schema])),
  } as const;
  return { description: '', content: { 'application/json': { schema } } };
}

/** The validator does not know every name that a path parameter can have. Which path it is, the router decides. */
function shownPath(path: string): string {
  return `/${Buffer.from(path).toString('hex')}`;
}

type Parameters = OpenAPIV3.OperationObject['parameters'];

/** Parameters whose schema is a reference to an enum are coerced wrongly (the validator's issue 1119). */
function inlined(parameters: Parameters, resolve: Resolve): NonNullable<Parameters> {
  return (parameters ?? []).map((reference) => {
    const parameter = resolve(reference) as OpenAPIV3.ParameterObject;
    return parameter.schema === undefined ? parameter : { ...parameter, schema: resolve(parameter.schema) };
  });
}
