import { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator.js';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { ContractError } from './errors.ts';
import { placeOf, readYaml } from './places.ts';

/** The parts of an OpenAPI 3.1 document that this service reads. What may be a reference there is read by `Resolve`. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly summary?: string; readonly version: string };
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly security?: Security;
  readonly components?: {
    readonly securitySchemes?: Readonly<Record<string, { readonly type: string; readonly scheme?: string }>>;
  };
}
export type PathItem = Readonly<Partial<Record<Method, DeclaredOperation>>> & {
  readonly $ref?: string;
  readonly parameters?: readonly Parameter[];
};
export type Security = readonly Readonly<Record<string, readonly string[]>>[];
export interface DeclaredOperation {
  readonly operationId?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses?: Readonly<Record<string, Response>>;
  readonly security?: Security;
}
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly schema?: Schema;
}
export interface Response {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Content;
}
export type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

/** The keywords of JSON Schema 2020-12 that tell where a value stands, or limit a number. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly unevaluatedProperties?: Schema | boolean;
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly Schema[];
  readonly unevaluatedItems?: Schema | boolean;
  readonly contains?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly dependentSchemas?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
}

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
export type Method = (typeof METHODS)[number];

/** What a reference object (`$ref`) within the document refers to; anything else is returned as it is. */
export type Resolve = <T extends object>(node: T) => T;

/**
 * Reads an OpenAPI document from YAML 1.2 (or JSON, its subset).
 *
 * @throws ContractError if it is not YAML, not OpenAPI 3.1, or refers to what is not there
 */
export function parseDocument(yaml: string): { document: OpenApiDocument; resolve: Resolve } {
  const document = readOpenApi(yaml);
  const validator = new OpenAPISchemaValidator({ version: document.openapi, validateApiSpec: true });
  // Its parameter has the type of a valid document, which is what it is asked about.
  const [first] = validator.validate(document as OpenApiDocument & OpenAPIV3.DocumentV3_1).errors ?? [];
  if (first !== undefined) {
    throw new ContractError(
      `openapi.yaml is not valid OpenAPI 3.1: ${first.instancePath || 'it'} ${first.message ?? 'is invalid'}; ` +
        '`npm run generate` shows the place',
    );
  }
  const resolve = resolver(document);
  forEachReference(document, resolve);
  return { document, resolve };
}

/** @throws ContractError if it is not YAML, or does not say that it is OpenAPI 3.1 */
export function readOpenApi(yaml: string): OpenApiDocument {
  const document = readYaml(yaml);
  if (isVersion31(document)) return document;
  throw new ContractError(`${placeOf(document)} must be OpenAPI 3.1: it must say \`openapi: 3.1.0\``);
}

function isVersion31(document: unknown): document is OpenApiDocument {
  return (
    typeof document === 'object' &&
    document !== null &&
    'openapi' in document &&
    /^3\.1\.\d+$/.test(String(document.openapi))
  );
}

/** Follows references of the form `#/components/…` (RFC 6901). Other documents are not read: the contract is one file. */
export function resolver(document: object): Resolve {
  return function resolve<T extends object>(node: T, hops = 0): T {
    if (!('$ref' in node) || typeof node.$ref !== 'string') return node;
    const reference = node.$ref;
    const target = targetOf(document, reference);
    if (typeof target !== 'object' || target === null || hops > 100) {
      throw new ContractError(`${placeOf(node)} refers to ${reference}, which is not a place in it`);
    }
    // What a reference leads to is what the schema of OpenAPI, checked above, wants in its place.
    return resolve(target as T, hops + 1);
  };
}

/** What stands where a reference leads to, by one step: it may be a reference itself. undefined: there is no such place. */
export function targetOf(document: object, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(child, document);
}

function child(node: unknown, name: string): unknown {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, name)
    ? (node as Record<string, unknown>)[name]
    : undefined;
}

function forEachReference(node: unknown, resolve: Resolve): void {
  if (typeof node !== 'object' || node === null) return;
  resolve(node);
  for (const each of Object.values(node)) forEachReference(each, resolve);
}
