import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { ContractError } from './errors.ts';

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
 * @throws ContractError which names line and column, if it is not YAML, or does not say that it is OpenAPI 3.1
 */
export function readOpenApi(yaml: string): OpenApiDocument {
  const lines = new LineCounter();
  const parsed = parseDocument(yaml, { lineCounter: lines });
  const [error] = parsed.errors;
  if (error !== undefined) throw new ContractError(`openapi.yaml is not YAML: ${error.message.trim()}`);
  const document = parsed.toJS() as Partial<OpenApiDocument> | null;
  remember(document, parsed.contents, parsed.contents, lines);
  if (/^3\.1\.\d+$/.test(String(document?.openapi))) return document as OpenApiDocument;
  throw new ContractError(`${locationOf(document)} must be OpenAPI 3.1: it must say \`openapi: 3.1.0\``);
}

/** Where each map and each list of a document is written. */
const locations = new WeakMap<object, string>();

/** `openapi.yaml:12:9` for a map or a list that readOpenApi has read, by its key if it has one; else `openapi.yaml`. */
export function locationOf(value: unknown): string {
  const location = typeof value === 'object' && value !== null ? locations.get(value) : undefined;
  return location === undefined ? 'openapi.yaml' : `openapi.yaml:${location}`;
}

function remember(value: unknown, node: unknown, key: unknown, lines: LineCounter): void {
  // What an alias repeats is one object, which stands where it stood first.
  if (typeof value !== 'object' || value === null || locations.has(value)) return;
  const { line, col } = lines.linePos((key as Node).range?.[0] ?? 0);
  locations.set(value, `${line}:${col}`);
  const holder = value as Readonly<Record<string, unknown>>;
  if (isMap(node)) {
    for (const item of node.items) {
      const name = isScalar(item.key) ? String(item.key.value) : '';
      remember(holder[name], item.value, item.key, lines);
    }
  } else if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) remember(holder[index], item, item, lines);
  }
}

/** Follows references of the form `#/components/…` (RFC 6901). Other documents are not read: the contract is one file. */
export function resolver(document: object): Resolve {
  return function resolve<T extends object>(node: T, hops = 0): T {
    if (!('$ref' in node) || typeof node.$ref !== 'string') return node;
    const reference = node.$ref;
    const target = targetOf(document, reference);
    if (typeof target !== 'object' || target === null || hops > 100) {
      throw new ContractError(`${locationOf(node)} refers to ${reference}, which is not a place in it`);
    }
    // What a reference leads to is what the schema of OpenAPI, checked above, wants in its place.
    return resolve(target as T, hops + 1);
  };
}

/** What stands where a reference leads to, by one step: it may be a reference itself. undefined: there is no such place. */
export function targetOf(document: object, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let node: unknown = document;
  for (const token of reference.slice(2).split('/')) {
    const name = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined;
    node = (node as Record<string, unknown>)[name];
  }
  return node;
}

/** @throws ContractError for a reference to a place that is not there */
export function checkReferences(node: unknown, resolve: Resolve): void {
  if (typeof node !== 'object' || node === null) return;
  resolve(node);
  for (const each of Object.values(node)) checkReferences(each, resolve);
}
