import { BaseResolver, bundle, createConfig, Source as FileSource } from '@redocly/openapi-core';
import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { ContractError } from '../../src/contract-error.ts';
import { locationOf, placedAs, readTree, targetOf, writtenAs } from '../../src/schema/document.ts';
import { isLarge } from '../../src/schema/exact.ts';
import { Text } from './text.ts';
import { assign, holdersIn, isNode, memberOf, partsOf, safely, type Tree } from './tree.ts';

export interface Source {
  readonly document: Tree;
  readonly text: Text;
}

/**
 * Reads a document, and brings the files that it refers to into it. Their addresses are paths: nothing is fetched.
 *
 * @throws ContractError
 */
export async function readSource(file: string): Promise<Source> {
  const source = sourceOf(readText(file));
  const outside = referencesIn(source.document).find(({ reference }) => !reference.startsWith('#'));
  if (outside !== undefined) assign(source.document, await bundled(file, source.document, outside.node));
  return source;
}

/** @throws ContractError if the text is no document of OpenAPI 3.0 or 3.1 */
export function sourceOf(yaml: string): Source {
  const { tree, ...parsed } = readTree(yaml);
  const version = writtenAs(tree, 'openapi');
  if (isNode(tree) && /^3\.[01](?:\.\d+)?$/.test(version)) {
    const text = new Text(parsed, tree, yaml);
    tree['openapi'] = version;
    return { document: tree, text };
  }
  const place = isNode(tree) ? locationOf(tree) : 'openapi.yaml:1:1';
  const what = isNode(tree) && tree['swagger'] !== undefined ? 'Swagger 2.0' : 'no OpenAPI 3.0 or 3.1';
  throw new ContractError(`${place}: this is ${what}: convert it to OpenAPI 3.0 first`);
}

/** The refusals of references that lead nowhere, except those of security schemes, about which the author decides. */
export function danglingIn(document: Tree): ContractError[] {
  const schemes = Object.values(memberOf(memberOf(document, 'components'), 'securitySchemes') ?? {});
  return referencesIn(document).flatMap(({ node, reference }) => {
    if (schemes.includes(node) || isNode(targetOf(document, reference))) return [];
    return [new ContractError(`$ref leads to ${reference}, ${whyDangling(reference)}`, locationOf(node, '$ref'))];
  });
}

/** The end of a message about a reference that leads to no object: the reason and the cure. */
export function whyDangling(reference: string): string {
  if (ADDRESS.test(reference)) return NO_NETWORK;
  if (reference.startsWith('#')) return 'where the document has no object: add it, or refer to another one';
  return 'which is not there, or is not YAML: put the file where the reference leads';
}

function readText(file: string): string {
  try {
    const bytes = readFileSync(file);
    if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
    // Bytes that are not UTF-8 become this character.
    const [before = ''] = bytes.toString('utf8').split('\u{FFFD}', 1);
    throw new ContractError('this is not UTF-8: save the file as UTF-8', `openapi.yaml:${before.split('\n').length}:1`);
  } catch (error) {
    if (error instanceof ContractError) throw error;
    const code = Error.isError(error) && 'code' in error ? error.code : error;
    throw new ContractError(`this cannot be read: ${String(code)}: name a file that you may read`, 'openapi.yaml');
  }
}

/** @throws ContractError for a reference that cannot be decoded, or leads out of the folder of the document */
function requireWithin(root: string, file: string, tree: unknown): void {
  for (const { node, reference } of referencesIn(tree)) {
    const refuse = (why: string): never => {
      throw new ContractError(`$ref leads to ${reference}, ${why}`, locationOf(node, '$ref'));
    };
    if (safely(() => decodeURIComponent(reference)) === undefined)
      refuse('whose % is not before two hexadecimal digits: write %25 for it, or name the file without it');
    const [path = ''] = reference.split('#', 1);
    const target = path === '' || ADDRESS.test(path) ? undefined : fileAt(file, path);
    // About a file that is not there, the author decides.
    if (target !== undefined && existsSync(target) && isOutside(root, target)) refuse(OUTSIDE);
  }
}

/** The file at a reference, which is an address: `%7B` stands for a brace, unless a file has `%7B` in its name. */
function fileAt(base: string, reference: string): string {
  const [literal, decoded] = [reference, safely(() => decodeURIComponent(reference)) ?? reference].map((each) =>
    resolve(dirname(base), each),
  ) as [string, string];
  return existsSync(literal) ? literal : decoded;
}

/** The service shows its contract to all: a document from elsewhere must not bring in what else this machine has. */
function isOutside(root: string, file: string): boolean {
  const real = (path: string) => safely(() => realpathSync(path)) ?? path;
  return /^\.\.(?:[/\\]|$)|^(?:[a-z]:)?[/\\]/i.test(relative(real(dirname(root)), real(file)));
}

/** If its resolver throws, Redocly only says that the file is missing: `refused` keeps the reasons. */
class FilesOnly extends BaseResolver {
  readonly refused: ContractError[] = [];
  /** The file of each object that stands in another one than the document. */
  readonly files = new WeakMap<object, string>();
  private readonly trees = new Map<string, unknown>();
  private readonly root: string;
  private readonly nameOf: (file: string) => string;

  constructor(root: string, nameOf: (file: string) => string, config: ConstructorParameters<typeof BaseResolver>[0]) {
    super(config);
    this.root = root;
    this.nameOf = nameOf;
  }

  override resolveExternalRef(base: string | null, reference: string): string {
    return base === null || ADDRESS.test(reference)
      ? super.resolveExternalRef(base, reference)
      : fileAt(base, reference);
  }

  override loadExternalRef(reference: string): Promise<FileSource> {
    return Promise.try(() => {
      if (ADDRESS.test(reference)) throw new ContractError(`openapi.yaml: $ref leads to ${reference}, ${NO_NETWORK}`);
      // Redocly also follows a $ref in data.
      if (reference !== this.root && isOutside(this.root, reference))
        throw new ContractError(`openapi.yaml: $ref leads to ${reference}, ${OUTSIDE}`);
      // A device or a pipe may never end.
      if (!statSync(reference).isFile()) throw new ContractError(`openapi.yaml: $ref leads to ${reference}, no file`);
      try {
        const text = readText(reference);
        if (reference === this.root || YAML.test(reference)) this.keep(reference, readTree(text).tree);
        return new FileSource(reference, text);
      } catch (error) {
        if (!(error instanceof ContractError)) throw error;
        this.refused.push(
          new ContractError(
            error.said,
            error.at?.replace('openapi.yaml', () => this.nameOf(reference)),
          ),
        );
        throw error;
      }
    });
  }

  private keep(reference: string, tree: unknown): void {
    this.trees.set(reference, tree);
    if (reference === this.root) return;
    requireWithin(this.root, reference, tree);
    for (const holder of partsOf(tree)) this.files.set(holder, reference);
  }

  /** Redocly's own parser rounds integers, and knows no lines that messages could name. */
  override parseDocument(source: FileSource, isRoot?: boolean): ReturnType<BaseResolver['parseDocument']> {
    const { absoluteRef } = source;
    if (!this.trees.has(absoluteRef)) return super.parseDocument(source, isRoot);
    return { source, parsed: this.trees.get(absoluteRef) };
  }
}

/** Copies a tree; each part that was read from another file keeps its line there. */
function copied(tree: Tree, files: WeakMap<object, string>, nameOf: (file: string) => string): Tree {
  const copies = new Map<object, object>();
  const copy = (part: unknown): unknown => {
    if (!isLarge(part)) return part;
    const known = copies.get(part);
    if (known !== undefined) return known;
    const made: object = Array.isArray(part) ? [] : {};
    copies.set(part, made);
    const file = files.get(part);
    if (file !== undefined) placedAs(made, part, nameOf(file));
    for (const [name, each] of Object.entries(part)) Object.assign(made, { [name]: copy(each) });
    return made;
  };
  return copy(tree) as Tree;
}

/** @param outside an object that refers to another file */
async function bundled(file: string, document: Tree, outside: Tree): Promise<Tree> {
  const config = await createConfig({});
  const root = resolve(file);
  requireWithin(root, root, document);
  const nameOf = (other: string) => {
    const name = join(dirname(file), relative(dirname(root), other));
    return name === 'openapi.yaml' ? `./${name}` : name;
  };
  const externalRefResolver = new FilesOnly(root, nameOf, config.resolve);
  let why = 'a circle';
  try {
    const { bundle: made } = await bundle({ ref: root, config, externalRefResolver });
    const tree: unknown = made.parsed;
    // A reference that leads nowhere stays, and is refused at its own line.
    if (externalRefResolver.refused.length === 0 && !isWithinItself(tree))
      return copied(tree as Tree, externalRefResolver.files, nameOf);
  } catch (error) {
    why = Error.isError(error) ? error.message : String(error);
  }
  const cure = 'let no reference lead back to itself, and let each name the last file of its chain';
  const what = `the files from here cannot become one: ${why}: ${cure}`;
  throw externalRefResolver.refused[0] ?? new ContractError(what, locationOf(outside, '$ref'));
}

/** Redocly brings in a path item as often as it is referred to, also within itself. */
function isWithinItself(value: unknown, holders = new Set(), done = new Set()): boolean {
  if (!isLarge(value) || done.has(value)) return false;
  if (holders.has(value)) return true;
  holders.add(value);
  const isCircle = (Object.values(value) as unknown[]).some((each) => isWithinItself(each, holders, done));
  holders.delete(value);
  done.add(value);
  return isCircle;
}

/** The files that Redocly parses: any other is a text to it. */
const YAML = /\.(?:json|ya?ml)$/;
const ADDRESS = /^[a-z][a-z\d+.-]+:/i;
const OUTSIDE = 'outside the folder of the document: copy the file into that folder, and refer to the copy';
const NO_NETWORK = 'and adopt never reaches the network: save it beside the document, and refer to the copy';

function referencesIn(tree: unknown): { readonly node: Tree; readonly reference: string }[] {
  return [...(holdersIn(tree) as Set<Tree>)].flatMap((node) =>
    typeof node['$ref'] === 'string' ? [{ node, reference: node['$ref'] }] : [],
  );
}
