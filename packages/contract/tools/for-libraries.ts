import { normalizeTypes, Oas3_1Types } from '@redocly/openapi-core';
import { requireOneFile } from '../src/rules/one-file.ts';
import { Findings } from '../src/schema/findings.ts';
import { VOCABULARY } from '../src/rules/vocabulary.ts';

// The linter and openapi-typescript look names up in ordinary objects, and follow a `$ref` wherever it stands, over the
// network too. They get a copy of the contract in which names and data cannot be taken for anything else.

/** The linter's type of an object of OpenAPI, which has the types of its fields. */
type NodeType = ReturnType<typeof normalizeTypes>[string];

/** Stands before a name in the copy. */
const NAMED = 'a_name_called_';
const INHERITED = Object.getOwnPropertyNames(Object.prototype);
/** What the libraries look for in every object, in examples too. */
const KEYWORDS = ['$ref', '$anchor', 'externalValue', 'discriminator', 'allOf'];
const EXTENSIONS = new Set(Object.values(VOCABULARY).flatMap(Object.keys));

const { Root: ROOT } = normalizeTypes(Oas3_1Types) as Record<'Root', NodeType>;

/** @returns the copy @throws ContractError for a reference to another document */
export function forLibraries(document: object, writeBigint: (value: bigint) => unknown): object {
  const found = new Findings();
  requireOneFile(document, found);
  found.requireNone();
  const text = JSON.stringify(copied(document, ROOT), (_name, value: unknown) =>
    typeof value === 'bigint' ? writeBigint(value) : value,
  );
  // Names are changed everywhere, so that a reference to a name, as in `required` or a `$ref`, still leads there.
  return JSON.parse(text.replaceAll(new RegExp(`\\b(?:${INHERITED.join('|')})\\b`, 'g'), `${NAMED}$&`)) as object;
}

/** @param text a message of a library about the copy */
export function withOwnNames(text: string): string {
  const names = [...INHERITED, ...KEYWORDS].map((name) => RegExp.escape(name));
  return text.replaceAll(new RegExp(`${NAMED}(?=${names.join('|')})`, 'g'), '');
}

function copied(node: unknown, type: NodeType | undefined): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((each, index) => copied(each, type && typeOf(type, String(index), each)));
  if (type === undefined) {
    const shown = (name: string) => (KEYWORDS.includes(name) ? NAMED + name : name);
    return Object.fromEntries(Object.entries(node).map(([name, each]) => [shown(name), copied(each, undefined)]));
  }
  const members = Object.entries(node).flatMap(([name, value]: [string, unknown]) => {
    // The linter would fetch the address.
    if (type.name === 'Example' && name === 'externalValue') return [[name, '#/info']];
    if (isExtension(type, name) && !EXTENSIONS.has(name)) return [];
    return [[name, copied(value, typeOf(type, name, value))]];
  });
  return Object.fromEntries(members) as object;
}

function isExtension({ extensionsPrefix }: NodeType, name: string): boolean {
  return extensionsPrefix !== undefined && name.startsWith(extensionsPrefix);
}

/** Undefined: what stands there is data. */
function typeOf(type: NodeType, name: string, value: unknown): NodeType | undefined {
  if (isExtension(type, name)) return undefined;
  const { items, properties, additionalProperties } = type;
  const declared = items ?? (Object.hasOwn(properties, name) ? properties[name] : additionalProperties);
  const found = typeof declared === 'function' ? declared(value, name) : declared;
  return typeof found?.name === 'string' ? found : undefined;
}
