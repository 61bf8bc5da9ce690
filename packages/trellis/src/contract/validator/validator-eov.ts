import { createRequire } from 'node:module';
import packageJson from 'express-openapi-validator/package.json' with { type: 'json' };
import type { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator.js';
import type { OpenAPIV3, Options } from 'express-openapi-validator/dist/framework/types.js';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import { type ContractOperation, type Declared, patternMessages } from '../contract.ts';
import { trialsOfDefaults } from './defaults.ts';
import { type AnySchema, follower, locationAt, locationOf, type OpenApiDocument, partAt } from '../schema/document.ts';
import { ContractError, ErrorNumber, Refusal } from '../errors.ts';
import { type Attempt, directly, type Findings } from '../schema/findings.ts';
import { begin, budget, end, Overspent } from '../schema/budget.ts';
import { type ExactCheck, forgetTexts } from '../schema/exact.ts';
import { STRING_FORMATS } from '../schema/formats.ts';
import { replyFor } from '../message/content.ts';
import { ContractBroken, type Fault, inWords, ReplyError } from '../message/faults.ts';
import { exactJson } from '../schema/int64.ts';
import { parseJson } from '../message/json.ts';
import { toMessages } from './message-schemas.ts';
import { type Direction, OF_MEMBER, Translation } from './translation.ts';
import { Position } from '../schema/positions.ts';
import { described, type FindFaults } from './verdict.ts';
import { spendKeyword } from './spend-keyword.ts';
import { messageOf } from '../../explained-error.ts';

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
function ajvOptions({ checks, weights }: Translation, allErrors: boolean): Options {
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
    keywords: [
      spendKeyword(weights),
      ...checks.map(({ keyword, message, isValid, part }, index) => ({
        keyword: `exact${index}`,
        // Ajv checks a keyword for arrays after maxItems, and one for all values before.
        ...(keyword === 'uniqueItems' && { type: 'array' as const }),
        errors: false,
        ...(part === undefined ? { schema: false, validate: isValid } : { compile: withPart(isValid, part) }),
        error: { message },
      })),
    ],
    // An array may be shorter or longer than its prefixItems.
    strictTuples: false,
    code: { process: withOwnNames },
  };
}

const STRING_OR_EVALUATED =
  /"(?:[^"\\]|\\.)*"|(?<init>\bprops\d+ ?= ?(?:props\d+ ?\|\| ?)?)\{\}|!(?<names>props\d+)\[(?<key>\w+)\]/g;

/**
 * Ajv keeps the names of evaluated members in ordinary objects: in them, it finds `constructor`, which each inherits, and
 * cannot set `__proto__`.
 */
function withOwnNames(code: string): string {
  return code.replace(STRING_OR_EVALUATED, (all, init?: string, names?: string, key?: string) => {
    if (init !== undefined) return `${init}{ __proto__: null }`;
    return names === undefined ? all : `!Object.hasOwn(${names}, ${key ?? ''})`;
  });
}

/** A compiled component. `errors` has the faults of the value that it refused last. */
interface Check {
  (data: object): boolean;
  errors?: readonly Report[] | null;
}

/** A fault as Ajv reports it. */
interface Report {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<
    Partial<Record<'missingProperty' | 'additionalProperty' | 'unevaluatedProperty', string>> &
      Partial<Record<'type' | 'format' | 'pattern' | 'limit', unknown>>
  >;
}

/** What is used here of Ajv. */
interface Ajv {
  getSchema(name: string): Check | undefined;
}

function compiled(ajv: Ajv, component: string): Check {
  const check = ajv.getSchema(component);
  if (check === undefined) throw new Error(`express-openapi-validator did not compile ${component}`);
  return check;
}

/** Ajv compiles the component on first use, as schemas may contain themselves. */
function withPart(isValid: ExactCheck['isValid'], part: string) {
  return (_schema: unknown, _parent: unknown, { self }: { readonly self: Ajv }) => {
    let check: Check | undefined;
    return (value: unknown) => isValid(value, (each) => (check ??= compiled(self, part))(each as object));
  };
}

let schemaValidator: OpenAPISchemaValidator | undefined;

/** Made when first needed: to load and compile it delays a start by a fifth. */
function openApiSchema(): OpenAPISchemaValidator {
  const loaded: unknown = require('express-openapi-validator/dist/framework/openapi.schema.validator.js');
  const { OpenAPISchemaValidator: Validator } = loaded as { OpenAPISchemaValidator: typeof OpenAPISchemaValidator };
  allowRelativeUrls(require('express-openapi-validator/dist/framework/openapi.v3_1.modified.schema.json'));
  // The schema is the same for all versions 3.1.x.
  return new Validator({ version: '3.1.0', validateApiSpec: true });
}

/** URLs may be relative (OpenAPI 3.1, 4.3), which this edition of its schema does not say. */
function allowRelativeUrls(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  if ('format' in schema && schema.format === 'uri') schema.format = 'uri-reference';
  for (const each of Object.values(schema)) allowRelativeUrls(each);
}

interface Invalid {
  /** A JSON Pointer to what is not valid. */
  readonly pointer: string;
  /** Its member that is not allowed. */
  readonly name: string | undefined;
  readonly what: string;
}

/** What to write instead, where the sentence of the schema does not say it. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  'uri-reference': 'percent-encode it, as in /my%20terms',
  email: 'write one such as name@example.com',
  '^[a-zA-Z0-9._-]+$': 'name it by letters, digits, dots, hyphens and underscores',
};

/** What the schema of OpenAPI 3.1 refuses, the innermost of each part. */
export function invalidIn(document: object): Invalid[] {
  schemaValidator ??= openApiSchema();
  // A cast, since the parameter has the type of a valid document.
  const errors = schemaValidator.validate(document as OpenApiDocument & OpenAPIV3.DocumentV3_1).errors ?? [];
  // A part that is wrong makes each part around it wrong.
  const around = new Set(errors.flatMap(({ instancePath }) => prefixesOf(instancePath)));
  const innermost = errors.filter(({ instancePath }) => !around.has(instancePath));
  return innermost.map(({ instancePath: pointer, message = 'is invalid', params, propertyName }) => {
    const { unevaluatedProperty, allowedValues, format, pattern } = params as Readonly<
      Record<string, string | undefined>
    > & { readonly allowedValues?: readonly unknown[] };
    const name = propertyName ?? unevaluatedProperty;
    const cure =
      allowedValues?.join(', ') ??
      (unevaluatedProperty === undefined ? WAYS_OUT[format ?? pattern ?? ''] : 'leave it out');
    const what = [`${pointer || 'it'} ${message}`, name, cure].filter((each) => each !== undefined).join(': ');
    return { pointer, name, what };
  });
}

/** @param found gets the refusals by the schema of OpenAPI */
export function requireOpenApi(document: OpenApiDocument, found: Findings): void {
  for (const { pointer, name, what } of invalidIn(document)) {
    const place = locationAt(document, pointer, name);
    found.add(new ContractError(`this is not valid OpenAPI 3.1: ${what}`, place), partAt(document, pointer));
  }
}

/** The pointers of all parts around the part of a JSON Pointer. */
function prefixesOf(pointer: string): string[] {
  return Array.from(pointer.matchAll(/\//g), ({ index }) => pointer.slice(0, index));
}

/** @returns the operations that compile @throws ContractError for another version of the validator */
export function withValidators(
  operations: readonly Declared[],
  document: OpenApiDocument,
  attempt = directly,
): ContractOperation[] {
  requireKnownInside();
  const patterns = attempt(() => patternMessages(document)) ?? new Map<string, string>();
  const follow = follower(document);
  const [requests, replies] = [new Translation('request', follow), new Translation('reply', follow)];
  const messages = operations.flatMap(
    (operation) => attempt(() => [{ operation, ...toMessages(operation, requests, replies) }]) ?? [],
  );
  // What a schema that is refused has left behind would not compile.
  if (messages.length < operations.length)
    return withValidators(
      messages.map(({ operation }) => operation),
      document,
      attempt,
    );
  const trials = trialsOfDefaults(operations, requests, follow, attempt);
  const ofRequest = compiler(requests, (...given) => new RequestValidator(...given));
  // Objects in a reply may inherit members such as `constructor`, which are not sent.
  const ofReply = compiler(
    replies,
    (specification, options) => new ResponseValidator(specification, { ...options, ownProperties: true }),
  );
  for (const { name, component, sent, filled, location } of trials)
    attempt(() => {
      const find = ofRequest(component);
      const wrong = compiles(location, () => (find({ [name]: sent }) ? undefined : find({ [name]: filled })));
      if (wrong !== undefined) throw new ContractError(inWords(wrong, patterns), location);
    });
  return messages.flatMap(
    ({ operation, bodies, responses }) =>
      attempt(() =>
        compiles(`openapi.yaml, ${operation.method} ${operation.path}`, () => {
          const ofBodies = new Map([...bodies].map(([type, component]) => [type, ofRequest(component)]));
          // Without a body, all of them check the same.
          const [first] = ofBodies.values();
          const ofStatuses = new Map([...responses].map(([status, component]) => [status, ofReply(component)]));
          const validator: ContractOperation['validator'] = {
            request: (request, mediaType = '', work) => {
              const find = ofBodies.get(mediaType) ?? first;
              const faults = withinWork(() => find?.(request, work), tooMuchWork);
              if (faults !== undefined) throw new ContractBroken(faults, patterns, request);
              return budget.rest;
            },
            reply: (status, headers, body) => {
              const find = replyFor(ofStatuses, status);
              const faults = withinWork(
                () => find?.({ headers, body }),
                (why) => new ReplyError(operation.id, [], why),
              );
              if (faults !== undefined) throw new ReplyError(operation.id, faults);
            },
          };
          return [{ ...operation, validator }];
        }),
      ) ?? [],
  );
}

/** @param place of what is compiled @throws ContractError if it does not compile, or takes too much work */
function compiles<T>(place: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (error instanceof ContractError) throw error;
    if (error instanceof Overspent) throw new ContractError(explained(error));
    throw new ContractError(`this does not compile: ${messageOf(error)}`, place);
  }
}

/** @throws what `refusal` makes of the explanation of an Overspent */
function withinWork<T>(judge: () => T, refusal: (why: string) => Error): T {
  try {
    return judge();
  } catch (error) {
    throw error instanceof Overspent ? refusal(explained(error)) : error;
  }
}

function explained({ at }: Overspent): string {
  return (
    `${locationOf(at)}: the schemas that apply here take more work than the length of the message allows: use fewer ` +
    'branches, patterns and checks for one value, or choose between branches by a discriminator'
  );
}

function tooMuchWork(why: string): Refusal {
  const said = 'the request takes too much work to check: send fewer or shorter values';
  return new Refusal(ErrorNumber.tooMuchWork, said, {}, why);
}

/** A value in the contract, beside the schema of its place. */
export interface Example {
  readonly name: 'example' | 'default';
  readonly schema: AnySchema;
  readonly direction: Direction;
  readonly value: unknown;
  readonly location: string;
}

/** Refuses each value that a message could not have in its place. */
export function requireFitting(examples: readonly Example[], document: OpenApiDocument, attempt: Attempt): void {
  const follow = follower(document);
  const patterns = attempt(() => patternMessages(document)) ?? new Map<string, string>();
  for (const [direction, listed] of Map.groupBy(examples, ({ direction: each }) => each)) {
    const translation = new Translation(direction, follow);
    const trials = listed.flatMap((example) => {
      const shown = attempt(() => [translation.schema(example.schema, OF_MEMBER)]) ?? [];
      return shown.map((schema) => ({
        ...example,
        component: translation.component({ properties: { [example.name]: schema } }),
      }));
    });
    if (trials.length < listed.length) {
      requireFitting(trials, document, attempt);
      continue;
    }
    const compile = compiler(translation, (...given) => new RequestValidator(...given));
    for (const { name, schema, value, location, component } of trials)
      attempt(() => {
        const position = new Position(schema, follow);
        const wrong = unfit(compile(component), name, value, position, patterns);
        if (wrong !== undefined) throw new ContractError(wrong, location);
      });
  }
}

function unfit(
  find: FindFaults,
  name: string,
  value: unknown,
  position: Position,
  patterns: ReadonlyMap<string, string>,
): string | undefined {
  try {
    // Read as from a message: with the digits of an int64.
    const read = { [name]: parseJson(exactJson(value), position) };
    const faults = find(read) ?? (position.fillIn(read[name]) ? find(read) : undefined);
    return faults && inWords(faults, patterns);
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof Overspent)) throw error;
    return error instanceof Overspent ? explained(error) : error.message;
  }
}

/** @returns the warning for a version that was not tested */
export function untestedValidator(): string | undefined {
  if (TESTED.includes(packageJson.version)) return undefined;
  return `express-openapi-validator ${packageJson.version} was not tested with this service: install ${TESTED.join(' or ')}`;
}

/** Another version may differ inside, and then accept every request. A patch may be a security release, which must start. */
function requireKnownInside(): void {
  const untested = untestedValidator();
  const minorOf = (version: string) => version.split('.', 2).join('.');
  if (untested !== undefined && !TESTED.some((each) => minorOf(each) === minorOf(packageJson.version)))
    throw new ContractError(untested);
}

/** @returns a function that compiles a component */
function compiler(
  translation: Translation,
  makeValidator: (specification: OpenAPIV3.DocumentV3_1, options: Options) => unknown,
): (component: string) => FindFaults {
  const known = new Map<boolean, Ajv>();
  const ajvOf = (allErrors: boolean): Ajv =>
    known.getOrInsertComputed(allErrors, () => {
      const validator = makeValidator(toSpecification(translation.components), ajvOptions(translation, allErrors));
      // `ajvBody` is private in the types of both validators.
      return (validator as { readonly ajvBody: Ajv }).ajvBody;
    });
  return (component) => described((allErrors) => finder(compiled(ajvOf(allErrors), component), translation.checks));
}

/** A document with schemas only. */
function toSpecification(schemas: object): OpenAPIV3.DocumentV3_1 {
  return {
    openapi: '3.1.0',
    info: { title: '', summary: '', version: '' },
    paths: {},
    webhooks: {},
    components: { schemas: { ...schemas } },
  };
}

/** Finds faults in the paths and keywords of the contract. */
function finder(check: Check, exact: readonly ExactCheck[]): FindFaults {
  const isValid = (message: object, work?: number) => {
    forgetTexts();
    begin(message, work);
    try {
      return check(message);
    } finally {
      end();
    }
  };
  return (message, work) => {
    if (isValid(message, work)) return undefined;
    const reports = check.errors ?? [];
    // What a client sent must not stay in memory.
    check.errors = null;
    // The faults of the branch of an `if` say more than that of the `if` itself.
    return reports.flatMap((report) => (report.keyword === 'if' ? [] : [faultOf(report, exact)]));
  };
}

function faultOf({ keyword, instancePath, message = '', params }: Report, exact: readonly ExactCheck[]): Fault {
  const name = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const path = name === undefined ? instancePath : name && `${instancePath}/${name}`;
  const [, index] = /^exact(\d+)$/.exec(keyword) ?? [];
  const check = index === undefined ? undefined : exact[Number(index)];
  if (check !== undefined) return { path, keyword: check.keyword, wanted: check.wanted, message };
  return { path, keyword, wanted: params.type ?? params.format ?? params.pattern ?? params.limit, message };
}
