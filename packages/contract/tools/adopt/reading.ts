import { type OpenApiDocument, resolver, type Security } from '../../src/schema/document.ts';
import { ContractError } from '../../src/contract-error.ts';
import { statusOf } from '../../src/refusal.ts';
import { OF_OPERATIONS } from '../../src/required-failures.ts';
import { examine } from '../../src/load.ts';
import { directly, Findings } from '../../src/schema/findings.ts';
import { readBasePath } from '../../src/rules/addresses.ts';
import { requireKept } from '../../src/rules/kept.ts';
import { JSON_TYPE, type ObjectKind, VOCABULARY } from '../../src/rules/vocabulary.ts';
import { readSecurity, requireOneScheme } from '../../src/security.ts';
import { type Example, requireFitting } from '../../src/validator/examples.ts';
import { requireOpenApi } from '../../src/validator/openapi-schema.ts';
import { requireTypes } from '../contract-for-types.ts';
import { examplesIn, requireFittingExamples } from '../examples.ts';
import { isNode, safely, type Tree, type OperationNode } from './tree.ts';

// Asks the functions that read a contract about a document and its parts: adopt itself has no rules on what is kept.

function isRefused(act: () => unknown): boolean {
  return errorsOf(act).length > 0;
}

export function errorsOf(act: () => unknown): readonly ContractError[] {
  try {
    act();
    return [];
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return error.all;
  }
}

const asContract = (document: object) => document as OpenApiDocument;

/** The refusals of the form of a document. */
export function refusalsOfForm(document: Tree): readonly ContractError[] {
  const found = new Findings();
  requireKept(asContract(document), found);
  requireOpenApi(asContract(document), found);
  return errorsOf(() => {
    found.requireNone();
  });
}

/** The other refusals of a document whose form is good. */
export function refusalsOfMeaning(document: Tree): readonly ContractError[] {
  return errorsOf(() => {
    const examined = examine('', '', undefined, asContract(document));
    requireTypes(examined);
    requireFittingExamples(examined);
    examined.found.requireNone(false);
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

/** The path at which operations are mounted. @returns undefined: it is refused */
export function basePathOf(document: object): string | undefined {
  let path: string | undefined;
  isRefused(() => {
    path = readBasePath(asContract(document));
  });
  return path;
}

export function isSecurity(value: unknown): value is Security {
  return Array.isArray(value) && value.every((each) => isNode(each));
}

/** Whether tokens of a single scheme are enough for all operations. */
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

/** The statuses that the service itself answers. @param isOpen whether the operation looks at no token */
export function ownStatuses(isOpen: boolean): string[] {
  const statuses = OF_OPERATIONS.map((each) => String(statusOf(each)));
  return statuses.filter((each) => !(isOpen && ['401', '403', '429'].includes(each)));
}

/** The examples and defaults of a document, with their places. */
export const examplesOf = (document: Tree) => examplesIn(asContract(document), directly);

/** Whether a schema that can be read allows its example. */
export const isFitting = (document: Tree, example: Example): boolean =>
  safely(() => {
    requireFitting([example], asContract(document), directly);
    return true;
  }) === true;
