import { readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import type { ErrorObject } from 'ajv/dist/core.js';
import type { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator.js';
import type { OpenAPIV3, Options } from 'express-openapi-validator/dist/framework/types.js';
import type { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import type { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import type { Fault } from '../message/faults.ts';
import { begin, end, workOf } from '../schema/budget.ts';
import { type ExactCheck, forgetTexts } from '../schema/exact.ts';
import { STRING_FORMATS } from '../schema/formats.ts';
import { type Check, compiled, type Compiler, keywordsOf, type Report } from './keywords.ts';
import type { Translation } from './translation.ts';
import { described, type Finder, type FindFaults } from './verdict.ts';

// The only file that knows the internals of express-openapi-validator. It calls the functions that the validator
// compiles: as a middleware, the validator would match the path again, parse the URL, redefine `query` and hook into the
// reply, for each request.

/** The tests have passed with these versions. Any other is judged by self-test.ts. */
export const TESTED = ['5.6.2'];
/** Not by an import, as a later version may hide this file. */
export const VERSION = (
  JSON.parse(readFileSync(findPackageJSON('express-openapi-validator', import.meta.url) ?? '', 'utf8')) as {
    readonly version: string;
  }
).version;

const require = createRequire(import.meta.url);

const FORMATS = Object.fromEntries(
  Object.entries(STRING_FORMATS).map(([name, validate]) => [name, { type: 'string' as const, validate }]),
);

/** A `$ref` of a translation is the name of a component: to read names as relative addresses took a sixth of a compilation. */
const NAMES: NonNullable<Options['uriResolver']> = {
  parse: (path) => ({ path }),
  serialize: ({ path = '' }) => path,
  resolve: (_base, path) => path,
};

/** The validator hands these on to Ajv. */
function ajvOptions({ checks, weights }: Translation, allErrors: boolean, isShort: boolean): Options {
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
    keywords: keywordsOf(checks, weights),
    // Of a schema whose compilation fails, Ajv would print the whole code, which may have megabytes; it throws too.
    logger: false,
    // An array may be shorter or longer than its prefixItems.
    strictTuples: false,
    // The optimisation takes a third of the time to compile, which pays only if many messages follow.
    code: { optimize: isShort },
    uriResolver: NAMES,
  };
}

/**
 * @param isServed whether messages will be validated
 * @returns a function that compiles a component of requests, also one that was translated since
 */
export function requestCompiler(translation: Translation, isServed: boolean): (component: string) => Finder {
  const loaded: unknown = require('express-openapi-validator/dist/middlewares/openapi.request.validator.js');
  const { RequestValidator: Validator } = loaded as { RequestValidator: typeof RequestValidator };
  return compiler(translation, isServed, (...given) => new Validator(...given));
}

/** @returns a function that compiles a component of replies */
export function replyCompiler(translation: Translation, isServed: boolean): (component: string) => Finder {
  const loaded: unknown = require('express-openapi-validator/dist/middlewares/openapi.response.validator.js');
  const { ResponseValidator: Validator } = loaded as { ResponseValidator: typeof ResponseValidator };
  // Objects in a reply may inherit members such as `constructor`, which are not sent.
  return compiler(
    translation,
    isServed,
    (document, options) => new Validator(document, { ...options, ownProperties: true }),
  );
}

function compiler(
  translation: Translation,
  isServed: boolean,
  makeValidator: (document: OpenAPIV3.DocumentV3_1, options: Options) => unknown,
): (component: string) => Finder {
  const known = new Map<string, { readonly ajv: Compiler; count: number }>();
  const ajvOf = (allErrors: boolean, isShort: boolean): Compiler => {
    const { components, names } = translation;
    const made = known.getOrInsertComputed(JSON.stringify([allErrors, isShort]), () => {
      const validator = makeValidator(documentOf(components), ajvOptions(translation, allErrors, isShort));
      // `ajvBody` is private in the types of both validators.
      return { ajv: (validator as { readonly ajvBody: Compiler }).ajvBody, count: names.length };
    });
    for (const name of names.slice(made.count)) made.ajv.addSchema(components[name] as object);
    made.count = names.length;
    return made.ajv;
  };
  const checkOf = (component: string, allErrors: boolean): Check => {
    try {
      return compiled(ajvOf(allErrors, isServed), component);
    } catch (error) {
      // The optimisation of an object with thousands of members nests too deeply: what generate accepts must start.
      if (!(error instanceof RangeError)) throw error;
      return compiled(ajvOf(allErrors, false), component);
    }
  };
  return (component) => described((allErrors) => finder(checkOf(component, allErrors), translation.checks));
}

/** A document with schemas only. */
function documentOf(schemas: object): OpenAPIV3.DocumentV3_1 {
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
  const isValid = (message: object, work: number) => {
    forgetTexts();
    begin(work);
    try {
      return check(message);
    } finally {
      end();
    }
  };
  return (message, work = workOf(message)) => {
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
  const check = params.check === undefined ? undefined : exact[params.check];
  if (check !== undefined) return { path, keyword: check.keyword, wanted: check.wanted, message };
  return { path, keyword, wanted: params.type ?? params.format ?? params.pattern ?? params.limit, message };
}

let schemaValidator: OpenAPISchemaValidator | undefined;

/** The faults that the schema of OpenAPI 3.1 finds in a document. */
export function schemaErrors(document: object): readonly ErrorObject[] {
  schemaValidator ??= openApiSchema();
  // A cast, since the parameter has the type of a valid document.
  return schemaValidator.validate(document as Parameters<OpenAPISchemaValidator['validate']>[0]).errors ?? [];
}

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
