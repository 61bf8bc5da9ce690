import { isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml';
import { ContractError } from './errors.ts';
import type { ExactKeywords } from './exact.ts';
import { namesIn, parseYaml, type Written } from './yaml.ts';

/** The parts of an OpenAPI 3.1 document that this service reads. What may be a reference there is read by `Resolve`. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly summary?: string; readonly version: string };
  readonly servers?: readonly Server[];
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly security?: Security;
  readonly components?: {
    readonly securitySchemes?: Readonly<Record<string, { readonly type: string; readonly scheme?: string }>>;
  };
}
export interface Server {
  readonly url: string;
}
export type PathItem = Readonly<Partial<Record<Method, DeclaredOperation>>> & {
  readonly parameters?: readonly Parameter[];
};
export type Security = readonly Readonly<Record<string, readonly string[]>>[];
export interface DeclaredOperation {
  readonly operationId?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses?: Readonly<Record<string, Response>>;
  readonly security?: Security;
  readonly 'x-max-body-bytes'?: number;
}
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: AnySchema;
}
export interface Response {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Content;
}
export interface Header {
  readonly required?: boolean;
  readonly schema: AnySchema;
}
export type Content = Readonly<Record<string, { readonly schema: AnySchema }>>;

/** The keywords of JSON Schema 2020-12 that tell where a value stands or limit its size, and those that exact.ts judges. */
export interface Schema extends ExactKeywords {
  readonly $ref?: string;
  readonly $defs?: SchemaMap;
  readonly allOf?: readonly AnySchema[];
  readonly anyOf?: readonly AnySchema[];
  readonly oneOf?: readonly AnySchema[];
  readonly not?: AnySchema;
  readonly if?: AnySchema;
  readonly then?: AnySchema;
  readonly else?: AnySchema;
  readonly dependentSchemas?: SchemaMap;
  readonly properties?: SchemaMap;
  readonly patternProperties?: SchemaMap;
  readonly additionalProperties?: AnySchema;
  readonly unevaluatedProperties?: AnySchema;
  readonly propertyNames?: AnySchema;
  readonly required?: readonly string[];
  readonly items?: AnySchema;
  readonly prefixItems?: readonly AnySchema[];
  readonly contains?: AnySchema;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly default?: unknown;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly 'x-error-numbers'?: Readonly<Record<string, string>>;
  readonly discriminator?: { readonly propertyName: string; readonly mapping?: Readonly<Record<string, string>> };
}
/** `true` allows any value, `false` none. */
export type AnySchema = Schema | boolean;
type SchemaMap = Readonly<Record<string, AnySchema>>;

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
export type Method = (typeof METHODS)[number];

/** What a reference object (`$ref`) within the document refers to; anything else is returned as it is. */
export type Resolve = <T extends object>(node: T) => T;

/**
 * Reads an OpenAPI document from YAML 1.2 (or JSON, its subset). An integer beyond 2^53 is a bigint in it.
 *
 * @throws ContractError which names line and column, if it is not YAML, or does not say that it is OpenAPI 3.1
 */
export function readOpenApi(yaml: string | Written): OpenApiDocument {
  const { parsed, lines } = typeof yaml === 'string' ? parseYaml(yaml) : yaml;
  const document = parsed.toJS() as Partial<OpenApiDocument> | null;
  settle(document, parsed.contents, placeOf(parsed.contents, lines), lines);
  if (/^3\.1\.\d+$/.test(String(document?.openapi))) return document as OpenApiDocument;
  throw new ContractError(`${locationOf(document)} must be OpenAPI 3.1: it must say \`openapi: 3.1.0\``);
}

/** Where a map or a list is written, and where each of its members is. */
interface Places {
  readonly own: string;
  readonly members: Map<string, string>;
}
const places = new WeakMap<object, Places>();

/**
 * `openapi.yaml:12:9` for a map or a list that readOpenApi has read, or for a member of it, by its key if it has one;
 * else `openapi.yaml`.
 */
export function locationOf(value: unknown, member?: string): string {
  const known = typeof value === 'object' && value !== null ? places.get(value) : undefined;
  if (known === undefined) return 'openapi.yaml';
  return `openapi.yaml:${(member === undefined ? undefined : known.members.get(member)) ?? known.own}`;
}

/**
 * @param node what of the document is wrong
 * @throws ContractError always
 */
export function refuse(node: object, where: string, what: string): never {
  throw new ContractError(`${locationOf(node)}, ${where}: ${what}`);
}

/**
 * Remembers where each map and each list stands, with its members, and makes numbers of the integers that a number holds
 * exactly.
 *
 * @throws ContractError for what JSON does not have
 */
function settle(value: unknown, node: unknown, own: string, lines: LineCounter): void {
  const refuseValue = (what: string) => {
    throw new ContractError(`openapi.yaml:${own}: ${what}`);
  };
  if (typeof value === 'number' && !Number.isFinite(value)) refuseValue(`JSON has no number ${value}`);
  if (typeof value !== 'object' || value === null) return;
  // What an alias repeats is one object, which stands where it stood first.
  if (places.has(value)) return;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype)
    refuseValue('JSON has no such value: write a map, a list, or a string in quotes');
  const members = new Map<string, string>();
  places.set(value, { own, members });
  const holder = value as Record<string, unknown>;
  const settleMember = (name: string, child: unknown, key: unknown) => {
    const [member, place] = [holder[name], placeOf(key, lines)];
    members.set(name, place);
    if (typeof member !== 'bigint') settle(member, child, place, lines);
    else if (Number.isSafeInteger(Number(member))) holder[name] = Number(member);
  };
  if (isMap(node)) {
    for (const item of node.items) settleMember(isScalar(item.key) ? String(item.key.value) : '', item.value, item.key);
  } else if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) settleMember(String(index), item, item);
  }
}

/** @param node null: of an empty document */
function placeOf(node: unknown, lines: LineCounter): string {
  const { line, col } = lines.linePos((node as Node | null)?.range?.[0] ?? 0);
  return `${line}:${col}`;
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

/** What a reference of a schema (`$ref`), which may stand beside other keywords, leads to by one step. */
export type Follow = (reference: string) => AnySchema;

export function follower(document: object): Follow {
  // That there is a schema, vocabulary.ts has found.
  return (reference) => targetOf(document, reference) as AnySchema;
}

/** What stands where a reference leads to, by one step: it may be a reference itself. undefined: there is no such place. */
export function targetOf(document: object, reference: string): unknown {
  const names = namesIn(reference);
  if (names === undefined) return undefined;
  let node: unknown = document;
  for (const name of names) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined;
    node = (node as Record<string, unknown>)[name];
  }
  return node;
}
