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
import { type DefaultTrial, trialsOfDefaults } from './defaults.ts';
import { follower, type OpenApiDocument } from './document.ts';
import { ContractError, Refusal, ReplyError } from './errors.ts';
import { type ExactCheck, forgetTexts } from './exact.ts';
import { STRING_FORMATS } from './formats.ts';
import { contractBroken, inWords } from './faults.ts';
import { toMessages } from './messages.ts';
import { Translation } from './schemas.ts';
import { bounded, either, type FindFaults } from './verdict.ts';
import { requireBoundedMessages } from './work.ts';
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
    keywords: checks.map(({ keyword, message, isValid, part }, index) => ({
      keyword: `exact${index}`,
      // Ajv checks a keyword for arrays after maxItems, and one for all values before.
      ...(keyword === 'uniqueItems' && { type: 'array' as const }),
      errors: false,
      ...(part === undefined ? { schema: false, validate: isValid } : { compile: withPart(isValid, part) }),
      error: { message },
    })),
    // An array may be shorter or longer than its prefixItems.
    strictTuples: false,
  };
}

/** Ajv compiles the component on first use, as schemas may contain themselves. */
function withPart(isValid: ExactCheck['isValid'], part: string) {
  return (
    _schema: unknown,
    _parent: unknown,
    { self }: { readonly self: { getSchema(name: string): Check | undefined } },
  ) => {
    let check: Check | undefined;
    return (value: unknown) =>
      isValid(value, (each) => {
        check ??= self.getSchema(part);
        if (check === undefined) throw new Error(`express-openapi-validator did not compile ${part}`);
        return check(each as object);
      });
  };
}

let schemaValidator: OpenAPISchemaValidator | undefined;

/** Made when first needed: to load and compile it delays a start by a fifth. */
function openApiSchema(): OpenAPISchemaValidator {
  const loaded: unknown = require('express-openapi-validator/dist/framework/openapi.schema.validator.js');
  const { OpenAPISchemaValidator: Validator } = loaded as { OpenAPISchemaValidator: typeof OpenAPISchemaValidator };
  // The schema is the same for all versions 3.1.x.
  return new Validator({ version: '3.1.0', validateApiSpec: true });
}

/** @throws ContractError */
export function requireOpenApi(document: OpenApiDocument): void {
  schemaValidator ??= openApiSchema();
  // A cast, since the parameter has the type of a valid document.
  const [first] = schemaValidator.validate(document as OpenApiDocument & OpenAPIV3.DocumentV3_1).errors ?? [];
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
  const messages = operations.map((operation) => ({
    operation,
    ...toMessages(operation, requests, replies),
    faults: requireBoundedMessages(operation, follow),
  }));
  const trials = trialsOfDefaults(operations, requests, follow);
  try {
    const requestValidator = either(
      (allErrors) => new RequestValidator(toSpecification(requests.components), ajvOptions(requests, allErrors)),
    );
    const replyValidator = either(
      // Objects in a reply may inherit members such as `constructor`, which are not sent.
      (allErrors) =>
        new ResponseValidator(toSpecification(replies.components), {
          ...ajvOptions(replies, allErrors),
          ownProperties: true,
        }),
    );
    const compile: CompileRequest = (operation, type, schema, faults) => {
      const find = either((allErrors) =>
        finder(compileRequest(operation, type, schema, requestValidator(allErrors)), '/body', requests.checks),
      );
      const faultsOf = bounded(find, faults);
      return (request) => {
        const found = faultsOf({ body: request });
        if (found !== undefined) throw contractBroken(found, patterns);
      };
    };
    requireDefaults(trials, compile);
    return messages.map(({ operation, bodies, responses, faults }) => {
      const checks = either((allErrors) => compileReplies(operation, responses, replyValidator(allErrors)));
      const ofStatus = (status: string) =>
        bounded((allErrors) => finder(checks(allErrors)(status), '/response', replies.checks), faults);
      const finders = new Map([...responses.keys()].map((status) => [status, ofStatus(status)]));
      return {
        ...operation,
        validator: {
          request: compileRequests(operation, bodies, faults, compile),
          reply: (status, headers, body) => {
            const found = (finders.get(String(status)) ?? finders.get('default'))?.({ response: { headers, body } });
            if (found === undefined) return;
            throw new ReplyError(`the reply of ${operation.id} breaks the contract: ${inWords(found)}`);
          },
        },
      };
    });
  } catch (error) {
    if (error instanceof ContractError) throw error;
    throw new ContractError(`openapi.yaml does not compile: ${messageOf(error)}`);
  }
}

type Named = Pick<Declared, 'id' | 'method'>;

/** @param faults the largest number of faults of one value; Infinity: only the first one is described */
type CompileRequest = (
  operation: Named,
  type: string,
  schema: unknown,
  faults: number,
) => (request: RequestData) => void;

/** @throws ContractError for a default that its place refuses */
function requireDefaults(trials: readonly DefaultTrial[], compile: CompileRequest): void {
  for (const [index, { name, shown, sent, filled, location }] of trials.entries()) {
    const operation = { id: `default ${index}`, method: 'POST' };
    const validate = compile(operation, '', { type: 'object', properties: { [name]: shown } }, Infinity);
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

/** @returns the check for each declared status */
function compileReplies(
  { id, method }: Declared,
  responses: ReadonlyMap<string, unknown>,
  validator: ResponseValidator,
): (status: string) => Check {
  const declared: unknown = Object.fromEntries(
    [...responses].map(([status, schema]) => [status, { content: { 'application/json': { schema } } }]),
  );
  const request: unknown = { method, headers: {}, openapi: { expressRoute: id } };
  const validators = validator._getOrBuildValidator(request as OpenApiRequest, declared as OpenAPIV3.ResponsesObject);
  // The validator's own type lacks the media type.
  const checks = validators as unknown as Readonly<Record<string, Readonly<Record<string, Check>> | undefined>>;
  return (status) => {
    const check = checks[status]?.['application/json'];
    if (check === undefined)
      throw new ContractError(`express-openapi-validator did not compile the reply ${status} of ${id}`);
    return check;
  };
}

/** Finds faults in the paths and keywords of the contract. @param within the path of the message in what `check` gets */
function finder(check: Check, within: string, exact: readonly ExactCheck[]): FindFaults {
  return (message) => {
    forgetTexts();
    if (check(message)) return undefined;
    const { errors } = ajvErrorsToValidatorError(400, check.errors ?? []);
    // What a client sent must not stay in memory.
    check.errors = null;
    // The faults of the branch of an `if` say more than that of the `if` itself.
    const own = errors.filter(({ errorCode }) => !errorCode?.startsWith('if.'));
    return own.map(({ path, message: said, errorCode = '' }) => {
      const [, index] = /^exact(\d+)\./.exec(errorCode) ?? [];
      const keyword = index === undefined ? errorCode : (exact[Number(index)]?.keyword ?? '');
      return {
        // On access: a copy of each path, where a client chose a name of 1 MiB, would fill the memory.
        get path() {
          return path.slice(within.length);
        },
        message: said,
        errorCode: keyword,
      };
    });
  };
}
