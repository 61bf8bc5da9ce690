import { isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml';
import { ContractError } from '../contract-error.ts';
import type { AnySchema } from './applicators.ts';
import { isLarge } from './exact.ts';
import type { SecurityScheme } from '../schemes.ts';
import { directly } from './findings.ts';
import { namesIn, type Parsed, parseYaml } from './yaml.ts';

export type { AnySchema, Schema } from './applicators.ts';

/** The parts of an OpenAPI 3.1 document that this service reads. `Resolve` follows references in them. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly summary?: string;
    readonly description?: string;
    readonly version: string;
  };
  readonly servers?: readonly Server[];
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly security?: Security;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, AnySchema>>;
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  };
}
export interface Server {
  readonly url: string;
  readonly variables?: Readonly<Record<string, { readonly default?: string }>>;
}
export type PathItem = Readonly<Partial<Record<Method, DeclaredOperation>>> & {
  readonly parameters?: readonly Parameter[];
};
export type Security = readonly Readonly<Record<string, readonly string[]>>[];
export interface DeclaredOperation {
  readonly operationId?: string;
  readonly summary?: string;
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
export type Content = Readonly<Record<string, Media>>;
export interface Media {
  /** Only bytes may lack it. */
  readonly schema?: AnySchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
export type Method = (typeof METHODS)[number];

/** Follows a Reference Object (`$ref`) to its end, and returns any other object unchanged. */
export type Resolve = <T extends object>(node: T) => T;

/** @returns a document in which integers beyond 2^53 are bigints @throws ContractError */
export function readOpenApi(yaml: string): OpenApiDocument {
  const document = readTree(yaml).tree as Partial<OpenApiDocument> | null;
  const version = document === null ? '' : writtenAs(document, 'openapi');
  if (/^3\.1\.\d+$/.test(version)) return document as OpenApiDocument;
  const cure = /^3\.0\b/.test(version) ? '`trellis adopt` converts it from 3.0' : 'write `openapi: 3.1.0`';
  const place = isLarge(document) ? locationOf(document, 'openapi') : 'openapi.yaml:1:1';
  throw new ContractError(`${place} must be OpenAPI 3.1: ${cure}`);
}

/** Reads any YAML as readOpenApi does. @throws ContractError */
export function readTree(yaml: string): Parsed & { readonly tree: unknown } {
  const { parsed, lines, aliases } = parseYaml(yaml);
  // No limit here: aliases of the same anchor share one object, and settle() bounds the values that they stand for.
  const tree: unknown = parsed.toJS({ maxAliasCount: -1 });
  settle(tree, parsed.contents, lines);
  return { tree, parsed, aliases };
}

/** The line and column, such as `12:9`, of a map or a list, and of each of its members. */
interface Places {
  readonly own: string;
  readonly members: ReadonlyMap<string, string>;
  /** The text of each number that JavaScript would write in another way, such as `1.10`. */
  readonly texts?: ReadonlyMap<string, string>;
  /** The file, if it is another one than the contract. */
  readonly file?: string | undefined;
}
const places = new WeakMap<object, Places>();

/** Gives a new object, which an edit has made, the place of the member that it replaces. */
export function placedAt<T extends object>(made: T, node: object, member: string): T {
  const { own = '', members, file } = places.get(node) ?? {};
  if (own !== '') places.set(made, { own: members?.get(member) ?? own, members: new Map(), file });
  return made;
}

/** The text of a member that is no map and no list, as the author has written it: `3.0`, where the value is 3. */
export function writtenAs(node: unknown, member: string): string {
  if (!isLarge(node)) return '';
  return places.get(node)?.texts?.get(member) ?? String((node as Record<string, unknown>)[member]);
}

/** Gives a copy of an object, which was read from another file, the places of the object. */
export function placedAs(copy: object, node: object, file: string): void {
  const known = places.get(node);
  if (known !== undefined) places.set(copy, { ...known, file });
}

/** `openapi.yaml:12:9` for a map or a list of a document from readOpenApi, or for a member of it. */
export function locationOf(value: unknown, member?: string): string {
  const known = isLarge(value) ? places.get(value) : undefined;
  if (known === undefined) return 'openapi.yaml';
  const place = (member === undefined ? undefined : known.members.get(member)) ?? known.own;
  return `${known.file ?? 'openapi.yaml'}:${place}`;
}

/**
 * Follows a JSON Pointer.
 *
 * @returns the map or list that it leads to, or the one that holds a target of another kind; with the place of the target,
 * or of its `member`
 */
export function partAt(document: object, pointer: string, member?: string) {
  let part = document;
  for (const name of namesIn(`#${encodeURI(pointer)}`) ?? []) {
    const inner = (part as Readonly<Record<string, unknown>>)[name];
    if (!isLarge(inner)) return { part, place: locationOf(part, name) };
    part = inner;
  }
  return { part, place: locationOf(part, member) };
}

/** @param node the map or the list of the document that is wrong */
export function refuse(node: object, where: string, what: string, cure?: ContractError['cure']): never {
  throw new ContractError(what, `${locationOf(node)}, ${where}`, cure);
}

/** GitHub's document has 600,000 values. Each alias counts with all that it stands for: ten lines can have billions. */
const MAX_VALUES = 5_000_000;

/** Records places, and turns bigints up to 2^53 into numbers. @throws ContractError for a value that is not JSON */
function settle(root: unknown, contents: unknown, lines: LineCounter): void {
  /** How many values an object has, with those of the aliases within. */
  const sizes = new Map<object, number>();
  const settleValue = (value: unknown, node: unknown, own: string): number => {
    const refuseValue = (what: string) => {
      throw new ContractError(what, `openapi.yaml:${own}`);
    };
    if (typeof value === 'number' && !Number.isFinite(value)) refuseValue(`JSON has no number ${value}: write another`);
    if (typeof value !== 'object' || value === null) return 1;
    // An alias repeats the object itself: its place is that of its anchor.
    const known = sizes.get(value);
    if (known !== undefined) return known;
    if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype)
      refuseValue('JSON has no such value: write a map, a list, or a string in quotes');
    const [members, texts] = [new Map<string, string>(), new Map<string, string>()];
    places.set(value, { own, members, texts });
    const holder = value as Record<string, unknown>;
    let size = 1;
    const settleMember = (name: string, child: unknown, key: unknown) => {
      const member = holder[name];
      const place = placeOf(key, lines);
      members.set(name, place);
      size += settleValue(member, child, place);
      if (isScalar(child) && typeof member === 'number' && child.source !== String(member))
        texts.set(name, child.source ?? String(member));
      if (typeof member === 'bigint' && Number.isSafeInteger(Number(member))) holder[name] = Number(member);
    };
    if (isMap(node)) {
      for (const item of node.items)
        settleMember(isScalar(item.key) ? String(item.key.value) : '', item.value, item.key);
    } else if (isSeq(node)) {
      for (const [index, item] of node.items.entries()) settleMember(String(index), item, item);
    }
    if (size > MAX_VALUES)
      refuseValue(`this stands for more than ${MAX_VALUES} values: let fewer aliases repeat others`);
    sizes.set(value, size);
    return size;
  };
  settleValue(root, contents, placeOf(contents, lines));
}

function placeOf(node: unknown, lines: LineCounter): string {
  const { line, col } = lines.linePos((node as Node | null)?.range?.[0] ?? 0);
  return `${line}:${col}`;
}

export function resolver(document: object): Resolve {
  return function resolve<T extends object>(node: T, hops = 0): T {
    if (!('$ref' in node) || typeof node.$ref !== 'string') return node;
    const reference = node.$ref;
    const target = targetOf(document, reference);
    if (typeof target !== 'object' || target === null || hops > 100) {
      throw new ContractError(
        `$ref leads to ${reference}, and from there to nothing: refer to an object that is there`,
        locationOf(node),
      );
    }
    // requireKept has checked that the target is an object of the kind that may stand here.
    return resolve(target as T, hops + 1);
  };
}

/** Each path, with its item, or the item behind its `$ref`. */
export function pathItemsOf(document: OpenApiDocument, attempt = directly): readonly (readonly [string, PathItem])[] {
  const resolve = resolver(document);
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) => {
    if (path.startsWith('x-') || typeof item !== 'object' || (item as unknown) === null) return [];
    return attempt(() => [[path, resolve(item)] as const]) ?? [];
  });
}

/** Each response by its status, without extensions. */
export function responsesOf({ responses = {} }: DeclaredOperation): (readonly [string, Response])[] {
  return Object.entries(responses).filter(([status]) => !status.startsWith('x-'));
}

/** Follows the `$ref` of a schema by one step: the target may have a `$ref` of its own beside other keywords. */
export type Follow = (reference: string) => AnySchema;

export function follower(document: object): Follow {
  const known = new Map<string, AnySchema>();
  // requireKept has checked that the target is a schema.
  return (reference) => known.getOrInsertComputed(reference, () => targetOf(document, reference) as AnySchema);
}

/** Follows a reference by one step; undefined: it leads nowhere. */
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
