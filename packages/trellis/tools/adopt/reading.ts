import {
  type Follow,
  type OpenApiDocument,
  resolver,
  type Schema,
  type Security,
} from '../../src/contract/schema/document.ts';
import { namesIn } from '../../src/contract/schema/yaml.ts';
import { ContractError, statusOf } from '../../src/contract/errors.ts';
import { OF_OPERATIONS } from '../../src/contract/failures.ts';
import { examine } from '../../src/contract/load.ts';
import { directly, Findings } from '../../src/contract/schema/findings.ts';
import { readBasePath } from '../../src/contract/rules/addresses.ts';
import { requireLinearPatterns } from '../../src/contract/rules/patterns.ts';
import { JSON_TYPE, type ObjectKind, requireKept, VOCABULARY } from '../../src/contract/rules/vocabulary.ts';
import { readSecurity, requireOneScheme } from '../../src/contract/security.ts';
import { pinnedValues } from '../../src/contract/validator/translation.ts';
import { invalidIn, requireOpenApi } from '../../src/contract/validator/openapi-schema.ts';
import { requireTypes } from '../contract-for-types.ts';
import { examplesIn, requireFittingExamples } from '../examples.ts';
import { forLibraries } from '../for-libraries.ts';
import { isNode, type Tree, nodesIn, type OperationNode } from './tree.ts';

// What the contract's own reading says of a document and of its parts: adopt has no opinion of its own on what is kept.

function isRefused(act: () => unknown): boolean {
  return refusalsOf(act).length > 0;
}

function errorsOf(act: () => unknown): readonly ContractError[] {
  try {
    act();
    return [];
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return error.all;
  }
}

export function refusalsOf(act: () => unknown): string[] {
  return errorsOf(act).map(({ message }) => message);
}

const asContract = (document: object) => document as OpenApiDocument;

/** Why the form of a document is refused. */
export function refusalsOfForm(document: Tree): string[] {
  const found = new Findings();
  requireKept(asContract(document), found);
  requireOpenApi(asContract(document), found);
  return refusalsOf(() => {
    found.requireNone();
  });
}

/** @param hasExamples whether its examples are judged too @throws ContractError */
function requireMeaning(document: Tree, hasExamples: boolean): void {
  const examined = examine('', '', undefined, asContract(document));
  requireTypes(examined);
  if (hasExamples) requireFittingExamples(examined);
  examined.found.requireNone(false);
  forLibraries(document, String);
}

/** Why a document of a good form is refused all the same. */
export function refusalsOfMeaning(document: Tree, hasExamples = false): string[] {
  return refusalsOf(() => {
    requireMeaning(document, hasExamples);
  });
}

/** Whether a field is refused by itself: its name, the shape of its value, or the value. */
export function isFieldRefused(node: Tree, kind: ObjectKind, name: string): boolean {
  const [rows, value] = [VOCABULARY[kind], node[name]];
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row === undefined) return !name.startsWith('x-') || name.startsWith('x-eov-');
  const { holds } = row;
  const isHolder = typeof value === 'object' && value !== null && Array.isArray(value) === (holds?.in === 'list');
  const isMisshapen = holds !== undefined && !isHolder && !(holds.kind === 'Schema' && typeof value === 'boolean');
  return row.is === 'refused' || isMisshapen || row.value?.(value, node) !== undefined;
}

export const isJson = (type: string) => JSON_TYPE.test(type);

/** A document has few patterns, each many times, and some take long to judge. */
const slow = new Map<string, boolean>();

/** Whether a field is a pattern whose time may grow faster than a text. */
export function isSlow(name: string, { pattern }: Tree): boolean {
  if (name !== 'pattern' || typeof pattern !== 'string') return false;
  return slow.getOrInsertComputed(pattern, () =>
    isRefused(() => {
      requireLinearPatterns({ pattern });
    }),
  );
}

/** Whether each branch of a discriminator fixes the values that lead to it. */
export function isPinned(schema: Schema, follow: Follow): boolean {
  return (schema.oneOf ?? schema.anyOf)?.every((each) => !isRefused(() => pinnedValues(schema, each, follow))) === true;
}

/** The path at which operations are mounted. @returns undefined: it is refused */
export function basePathOf(document: object): string | undefined {
  let path: string | undefined;
  return isRefused(() => (path = readBasePath(asContract(document)))) ? undefined : path;
}

export function isSecurity(value: unknown): value is Security {
  return Array.isArray(value) && value.every((each) => isNode(each));
}

/** Whether the tokens of one scheme are what the operations ask for. */
export function isOneScheme(document: Tree, operations: readonly OperationNode[]): boolean {
  const demands = operations.flatMap(({ node, method, path }) => {
    const security = node['security'] ?? document['security'] ?? [];
    return isSecurity(security) ? [{ security, where: `${method} ${path}` }] : [];
  });
  return !isRefused(() => {
    const resolve = resolver(asContract(document));
    for (const { security, where } of demands) readSecurity(asContract(document), security, resolve, where);
    requireOneScheme(demands, directly);
  });
}

/** The statuses that the service itself answers. @param isOpen whether no token is looked at */
export function ownStatuses(isOpen: boolean): string[] {
  const statuses = OF_OPERATIONS.map((each) => String(statusOf(each)));
  return statuses.filter((each) => !(isOpen && ['401', '403', '429'].includes(each)));
}

/** A place of which something is wrong. */
interface Wrong {
  readonly node: Tree;
  readonly member: string;
  readonly name: string;
}

/** What is no valid OpenAPI, in parts that are only shown. */
export function invalidShown(document: Tree): Wrong[] {
  const found: Wrong[] = [];
  const kinds = new Map(nodesIn(document).map(({ node, kind }) => [node, kind]));
  // A copy shows what is wrong once the first is left out.
  const copy = structuredClone(document);
  for (let [fault] = invalidIn(copy); fault !== undefined; [fault] = invalidIn(copy)) {
    const names = namesIn(`#${encodeURI(fault.pointer)}`) ?? [];
    const member = fault.name ?? names.pop() ?? '';
    const at = (root: Tree) => names.reduce<unknown>((node, name) => (node as Tree | undefined)?.[name], root);
    const [node, copied] = [at(document), at(copy)];
    if (!isNode(node) || !isNode(copied)) break;
    const kind = kinds.get(node);
    if (kind !== undefined && VOCABULARY[kind][member]?.is !== 'shown') break;
    found.push({ node, member, name: fault.what });
    Reflect.deleteProperty(copied, member);
  }
  return found;
}

/** The examples and defaults that their own schemas refuse; a member may be the index of an item. */
export function wrongExamples(document: Tree): Wrong[] {
  const errors = errorsOf(() => {
    requireMeaning(document, true);
  });
  const said = new Map(errors.map((error) => [error.at, error.said]));
  return examplesIn(asContract(document), directly).flatMap(({ holder, member, location }) => {
    const name = said.get(location);
    return name === undefined ? [] : [{ node: holder as Tree, member, name }];
  });
}
