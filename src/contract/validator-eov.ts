import url from 'node:url';
import type { Response } from 'express';
import { error as validatorErrors } from 'express-openapi-validator';
import packageJson from 'express-openapi-validator/package.json' with { type: 'json' };
import { OpenApiSpecLoader } from 'express-openapi-validator/dist/framework/openapi.spec.loader.js';
import type { OpenApiRequest, OpenApiRequestMetadata } from 'express-openapi-validator/dist/framework/types.js';
import { RequestValidator, ResponseValidator } from 'express-openapi-validator/dist/middlewares/index.js';
import { SchemaPreprocessor } from 'express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js';
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import type { Contract, ContractOperation } from './contract.ts';
import { ContractError, Refusal, ReplyError } from './errors.ts';
import { contractBroken, inWords } from './faults.ts';
import { isWithinInt64 } from './int64.ts';
import { headersOf, shownPath, validatorDocument } from './validator-document.ts';

/**
 * What of a request is held to the contract. The validator coerces parameters to their types, and fills in defaults,
 * in these very objects.
 */
export interface RequestParts {
  body: unknown;
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly headers: Record<string, unknown>;
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

const ALL_ERRORS = { allErrors: true };

/**
 * Compiles the contract by express-openapi-validator, for calls of its two validators with light objects instead of
 * Express's. As a middleware it would, for each request, wait for promises long resolved, match the path again,
 * redefine `query` and hook into the reply. What it looks up of an operation is looked up here once. This leans on how
 * the validator works inside.
 *
 * @throws ContractError if the contract does not compile
 */
export async function compileValidators(contract: Contract): Promise<Map<string, OperationValidator>> {
  requireTested(packageJson.version);
  forestallDeprecationCheck();
  const apiDoc = validatorDocument(contract.yaml);
  const { options, ajvOpts } = new OpenApiValidator({
    apiSpec: apiDoc,
    validateRequests: ALL_ERRORS,
    validateResponses: ALL_ERRORS,
    formats: { int64: { type: 'number', validate: isWithinInt64 } },
  });
  try {
    // document.ts has validated the document.
    const spec = await new OpenApiSpecLoader({ apiDoc, $refParser: options.$refParser, validateApiSpec: false }).load();
    const documents = new SchemaPreprocessor(spec.apiDoc, ajvOpts.preprocessor, ALL_ERRORS).preProcess();
    const requests = new RequestValidator(documents.apiDoc, ajvOpts.request);
    const replies = new ResponseValidator(documents.apiDocRes, ajvOpts.response);
    const validators = contract.operations.map((operation) => {
      const validator = new LightValidator(operation, contract.patterns, documents, requests, replies);
      validator.compile();
      return [operation.id, validator] as const;
    });
    return new Map(validators);
  } catch (error) {
    if (error instanceof ContractError) throw error;
    throw new ContractError(`openapi.yaml does not compile: ${Error.isError(error) ? error.message : String(error)}`);
  }
}

/** The versions of the validator that the tests of contract and http were run with. */
const TESTED = ['5.6.2'];

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

/** A name that the validator takes apart by its brackets: `size[min]` is a part of `size`. It drops others with brackets. */
const IN_BRACKETS = /^([^[]+)(?:\[[^[\]]*\])+$/;

/** The validator takes a response, and has no use for it where it validates requests. */
const NO_RESPONSE: unknown = {};

type Documents = ReturnType<SchemaPreprocessor['preProcess']>;
type ReplyValidators = ReturnType<ResponseValidator['_getOrBuildValidator']>;
/** The same as they are: by response and media type. The validator's own type lacks the second. */
type Checks = Readonly<Record<string, Readonly<Record<string, (data: object) => boolean>> | undefined>>;

class LightValidator implements OperationValidator {
  private readonly operation: ContractOperation;
  private readonly patterns: Contract['patterns'];
  private readonly requests: RequestValidator;
  private readonly replies: ResponseValidator;
  private readonly openapi: OpenApiRequestMetadata;
  private readonly replyValidators: ReplyValidators;
  private readonly checks: Checks;

  constructor(
    operation: ContractOperation,
    patterns: Contract['patterns'],
    { apiDoc, apiDocRes }: Documents,
    requests: RequestValidator,
    replies: ResponseValidator,
  ) {
    this.operation = operation;
    this.patterns = patterns;
    this.requests = requests;
    this.replies = replies;
    const route = shownPath(operation.path);
    const method = operation.method.toLowerCase() as 'post';
    const [schema, replySchema] = [apiDoc, apiDocRes].map(({ paths }) => paths?.[route]?.[method]);
    if (schema === undefined || replySchema?.responses === undefined) {
      throw new ContractError(`the validator does not find ${operation.id}`);
    }
    this.openapi = { expressRoute: route, openApiRoute: route, pathParams: {}, schema, serial: 0 };
    const request: unknown = { method: operation.method, headers: {}, openapi: this.openapi };
    this.replyValidators = replies._getOrBuildValidator(request as OpenApiRequest, replySchema.responses);
    const checks: unknown = this.replyValidators;
    this.checks = checks as Checks;
  }

  request({ body, params, query, headers, originalUrl }: RequestParts): void {
    this.refuseDropped(Object.keys(query));
    const { path, method } = this.operation;
    const openapi = { ...this.openapi, pathParams: params };
    // The object has what the validator uses of an Express request.
    const request: unknown = { method, path, originalUrl, headers, params, query, body, openapi };
    let passed = false as boolean;
    try {
      void this.requests.validate(request as OpenApiRequest, NO_RESPONSE as Response, () => {
        passed = true;
      });
    } catch (error) {
      if (error instanceof validatorErrors.BadRequest) throw contractBroken(error.errors, this.patterns);
      throw error;
    }
    // Should it ever answer later, nothing may pass meanwhile.
    if (!passed) throw new ContractError('express-openapi-validator, as it is called here, gave no answer');
  }

  /** @throws Refusal `contractBroken` for parameters with a bracket that the validator would drop */
  private refuseDropped(names: readonly string[]): void {
    const bracketed = names.filter((name) => name.includes('['));
    if (bracketed.length === 0) return;
    const declared = this.operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    const dropped = bracketed.filter(
      (name) => name.includes('[__proto__]') || !declared.includes(IN_BRACKETS.exec(name)?.[1] ?? ''),
    );
    if (dropped.length === 0) return;
    const message = 'Unknown query parameter';
    throw contractBroken(dropped.map((name) => ({ path: `/query/${name.replaceAll('/', '~1')}`, message })));
  }

  reply(status: number, body: unknown): void {
    this.check(status, body, this.operation.replies.get(String(status))?.mediaType);
  }

  replyHeaders(status: number, headers: object): void {
    this.check(headersOf(status), headers);
  }

  private check(response: number | string, body: unknown, mediaType = 'application/json'): void {
    const { replyValidators: validators } = this;
    // What the validator comes to in the end, without its search for the media type; a fault it shall put in words.
    if (body !== undefined && body !== null && this.checks[response]?.[mediaType]?.({ response: body })) return;
    try {
      // By its types only a status and an object, but it takes any name of a response, and any value.
      const [statusCode, value] = [response as number, body as object];
      this.replies._validate({ validators, body: value, statusCode, path: '', accepts: [] });
    } catch (error) {
      if (!(error instanceof validatorErrors.InternalServerError)) throw error;
      throw new ReplyError(`the reply of ${this.operation.id} breaks the contract: ${inWords(error.errors)}`);
    }
  }

  /** Makes the validator compile all that it compiles on first use, so that a fault in the contract shows now. */
  compile(): void {
    const types = [...(this.operation.body?.types.keys() ?? [])];
    for (const headers of types.length > 1 ? types.map((type) => ({ 'content-type': type })) : [{}]) {
      try {
        this.request({ params: {}, query: {}, headers, originalUrl: '/', body: {} });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }
  }
}
