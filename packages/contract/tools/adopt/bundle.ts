import { BaseResolver, bundle, createConfig, Source as FileSource } from '@redocly/openapi-core';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { ContractError } from '../../src/contract-error.ts';
import { locationOf, placedAs, readTree } from '../../src/schema/document.ts';
import { isLarge } from '../../src/schema/exact.ts';
import { ADDRESS, NO_NETWORK, readText, referencesIn } from './references.ts';
import { partsOf, safely, type Tree } from './tree.ts';

// Brings the files that a document refers to into it. Most documents refer to none, and do not load Redocly for it.

/** The files that Redocly parses: any other is a text to it. */
const YAML = /\.(?:json|ya?ml)$/;
const OUTSIDE = 'outside the folder of the document: copy the file into that folder, and refer to the copy';

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
export async function bundled(file: string, document: Tree, outside: Tree): Promise<Tree> {
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
