import type { Request, Response } from 'express';
import { error as validatorErrors, middleware as openApiValidator } from 'express-openapi-validator';
import type { OpenApiRequestHandler, OpenApiRequestMetadata } from 'express-openapi-validator/dist/framework/types.js';
import type { Contract, ContractOperation } from './contract.ts';
import { ContractError, Refusal, ReplyError } from './errors.ts';
import { contractBroken, inWords } from './faults.ts';
import { isWithinInt64 } from './int64.ts';
import { headersOf, shownPath, shownStatus, validatorDocument } from './validator-document.ts';

/**
 * What of a request is held to the contract. The validator coerces parameters to their types, and fills in defaults,
 * in this very object.
 */
export interface Exchange {
  body: unknown;
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  readonly originalUrl: string;
}

/** Holds the requests and the replies of one operation to the contract. */
export interface OperationValidator {
  /** @throws Refusal `contractBroken`, which names the faults */
  request(exchange: Exchange): Promise<void>;
  /** @throws ReplyError that names what breaks the contract, for the log */
  reply(status: number, body: unknown): Promise<void>;
  /** As reply, of its header fields by their names in small letters. */
  replyHeaders(status: number, headers: object): Promise<void>;
}

/**
 * Compiles the contract by express-openapi-validator, for calls with light objects instead of Express's: on those it
 * would redefine `query`, match the path again and hook into the reply, for each request. What it looks up of an
 * operation is looked up here once. This leans on how the validator works inside: see probe.ts.
 *
 * @throws ContractError if the contract does not compile
 */
export async function compileValidators(contract: Contract): Promise<Map<string, OperationValidator>> {
  const steps = openApiValidator({
    apiSpec: validatorDocument(contract.yaml),
    validateApiSpec: false, // document.ts has done it.
    validateRequests: { allErrors: true },
    validateResponses: { allErrors: true },
    validateSecurity: false, // Decided before the body is read, in auth/.
    fileUploader: false,
    formats: { int64: { type: 'number', validate: isWithinInt64 } },
  });
  const step = (name: string): OpenApiRequestHandler => {
    const found = steps.find((each) => each.name === name);
    if (found === undefined) throw new ContractError(`express-openapi-validator has no step ${name}`);
    return found;
  };
  try {
    // The first step is where the validator says what it could not load.
    await run(step('pathParamsMiddleware'), { app: { param: () => undefined } }, {});
    const validators = contract.operations.map(async (operation) => {
      const openapi = await lookUp(step('metadataMiddleware'), operation);
      const validator = new LightValidator(
        operation,
        openapi,
        contract.patterns,
        step('requestMiddleware'),
        step('responseMiddleware'),
      );
      await validator.compile();
      return [operation.id, validator] as const;
    });
    return new Map(await Promise.all(validators));
  } catch (error) {
    if (error instanceof ContractError) throw error;
    throw new ContractError(`openapi.yaml does not compile: ${Error.isError(error) ? error.message : String(error)}`);
  }
}

class LightValidator implements OperationValidator {
  private readonly operation: ContractOperation;
  private readonly openapi: OpenApiRequestMetadata;
  private readonly patterns: Contract['patterns'];
  private readonly requestStep: OpenApiRequestHandler;
  private readonly responseStep: OpenApiRequestHandler;

  constructor(
    operation: ContractOperation,
    openapi: OpenApiRequestMetadata,
    patterns: Contract['patterns'],
    requestStep: OpenApiRequestHandler,
    responseStep: OpenApiRequestHandler,
  ) {
    this.operation = operation;
    this.openapi = openapi;
    this.patterns = patterns;
    this.requestStep = requestStep;
    this.responseStep = responseStep;
  }

  async request(exchange: Exchange): Promise<void> {
    const { operation, openapi } = this;
    const { path, method } = operation;
    const request = Object.assign(exchange, { path, method, openapi: { ...openapi, pathParams: exchange.params } });
    try {
      await run(this.requestStep, request, {});
    } catch (error) {
      if (error instanceof validatorErrors.BadRequest) throw contractBroken(error.errors, this.patterns);
      throw error;
    }
  }

  reply(status: number, body: unknown): Promise<void> {
    return this.check(shownStatus(status), body, this.operation.replies.get(String(status))?.mediaType);
  }

  replyHeaders(status: number, headers: object): Promise<void> {
    return this.check(headersOf(status), headers, 'application/json');
  }

  private check(shownAs: number | string, body: unknown, mediaType: string | undefined): Promise<void> {
    const { method, path } = this.operation;
    return new Promise((resolve, reject) => {
      const response = {
        statusCode: shownAs,
        headersSent: false,
        getHeaders: () => ({ 'content-type': mediaType }),
        // Called with a body that was found valid: the step puts its check before it.
        json: (_valid: unknown): void => {
          resolve();
        },
      };
      const request = { method, originalUrl: path, headers: {}, openapi: this.openapi };
      // The step says `next` when its check is in place, and again if the check fails.
      call(this.responseStep, request, response, (error) => {
        if (error === undefined) response.json(body);
        else reject(replyBroken(this.operation.id, error));
      });
    });
  }

  /** Makes the validator compile all that it compiles on first use, so that a fault in the contract shows now. */
  async compile(): Promise<void> {
    const { body, replies } = this.operation;
    for (const mediaType of body?.types.keys() ?? ['application/json']) {
      const exchange = { params: {}, query: {}, headers: { 'content-type': mediaType }, originalUrl: '/', body: {} };
      await this.request(exchange).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
      });
    }
    for (const status of replies.keys()) {
      await this.reply(Number(status), {}).catch((error: unknown) => {
        if (!(error instanceof ReplyError)) throw error;
      });
    }
  }
}

/** The fault of a handler, in words for the log; a fault of the contract stays what it is. */
function replyBroken(id: string, error: Error): Error {
  if (!(error instanceof validatorErrors.InternalServerError)) return error;
  return new ReplyError(`the reply of ${id} breaks the contract: ${inWords(error.errors)}`);
}

/** What the validator knows of an operation, taken from the request that it is shown. */
async function lookUp(metadata: OpenApiRequestHandler, operation: ContractOperation): Promise<OpenApiRequestMetadata> {
  const path = shownPath(operation.path);
  const request: { openapi?: OpenApiRequestMetadata } & Record<string, unknown> = {
    method: operation.method,
    path,
    originalUrl: path,
    baseUrl: '',
    app: { enabled: () => true },
  };
  await run(metadata, request, {});
  if (request.openapi === undefined) throw new ContractError(`the validator does not find ${operation.id}`);
  return request.openapi;
}

function run(step: OpenApiRequestHandler, request: object, response: object): Promise<void> {
  return new Promise((resolve, reject) => {
    call(step, request, response, (error) => {
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

/** The objects have what the steps use of Express's; probe.ts proves it whenever the service starts. */
function call(step: OpenApiRequestHandler, request: object, response: object, next: (error?: Error) => void): void {
  step(request as Request, response as Response, (error?: unknown) => {
    next(error === undefined || Error.isError(error) ? error : new Error('the validator failed', { cause: error }));
  });
}
