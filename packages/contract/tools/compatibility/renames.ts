import { variablesOf } from '../../src/rules/addresses.ts';
import type { Contract } from '../../src/message/operation.ts';
import {
  METHODS,
  type Parameter,
  type PathItem,
  pathItemsOf,
  resolver,
  type Schema,
} from '../../src/schema/document.ts';
import { valueAt, withSchemas } from '../derivation/schemas.ts';
import { withDocument } from './editions.ts';
import { isUnchanged } from './prose.ts';

const shapeOf = (path: string) => path.replaceAll(/\{[^}]*\}/g, '{}');

/** The paths of the old contract that differ from one of the new contract only in the names of parameters. */
export function renamedPaths(was: Contract, is: Contract): ReadonlyMap<string, string> {
  const pathsOf = ({ document }: Contract) => pathItemsOf(document).map(([path]) => path);
  const [old, now] = [pathsOf(was), pathsOf(is)];
  const added = new Map(now.filter((path) => !old.includes(path)).map((path) => [shapeOf(path), path]));
  const gone = old.filter((path) => !now.includes(path));
  return new Map(gone.flatMap((path) => (added.has(shapeOf(path)) ? [[path, added.get(shapeOf(path)) ?? path]] : [])));
}

/** The old contract with the new names: requests match as before. */
export function withNewNames(contract: Contract, renamed: ReadonlyMap<string, string>): Contract {
  if (renamed.size === 0) return contract;
  const resolve = resolver(contract.document);
  const paths = pathItemsOf(contract.document).map(([path, item]): [string, PathItem] => {
    const now = renamed.get(path);
    if (now === undefined) return [path, item];
    const names = new Map(variablesOf(path).map((name, index) => [name, variablesOf(now)[index] ?? name]));
    const rename = <Of extends { readonly parameters?: readonly Parameter[] }>({ parameters = [], ...others }: Of) => ({
      ...others,
      parameters: parameters.map(resolve).map((each) => ({
        ...each,
        ...(each.in === 'path' && { name: names.get(each.name) ?? each.name }),
      })),
    });
    const operations = METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [[method, rename(operation)] as const];
    });
    return [now, { ...rename(item), ...Object.fromEntries(operations) }];
  });
  return withDocument(contract, { ...contract.document, paths: Object.fromEntries(paths) });
}

/** A member of an object that differs only in its name. */
interface RenamedMember {
  /** The JSON Pointer of the schema of the object. */
  readonly where: string;
  readonly was: string;
  readonly is: string;
}

/** The old contract with the new names of members: other differences are then found as if the names had stayed. */
export function withNewMembers(was: Contract, is: Contract): readonly [Contract, readonly RenamedMember[]] {
  const renamed: RenamedMember[] = [];
  const document = withSchemas(was.document, (schema, at) => {
    const { properties: old = {}, required } = schema;
    const { properties: now = {} } = (valueAt(is.document, at) ?? {}) as Schema;
    const lacking = (all: object, others: object) => Object.keys(all).filter((name) => !Object.hasOwn(others, name));
    const [gone, added] = [lacking(old, now), lacking(now, old)];
    const alike = (one: string, other: string) => isUnchanged(old[one], now[other], [was.document, is.document]);
    const names = new Map<string, string>();
    for (const name of gone) {
      const [other, ...further] = added.filter((each) => alike(name, each));
      // Among several members that are alike, any could be the renamed one.
      if (other === undefined || further.length > 0 || gone.some((each) => each !== name && alike(each, other)))
        continue;
      names.set(name, other);
      renamed.push({ where: `#/${at.join('/')}`, was: name, is: other });
    }
    if (names.size === 0) return schema;
    const nameOf = (name: string) => names.get(name) ?? name;
    const properties = Object.fromEntries(Object.entries(old).map(([name, each]) => [nameOf(name), each]));
    return { ...schema, properties, ...(required && { required: required.map(nameOf) }) };
  });
  return [renamed.length === 0 ? was : withDocument(was, document), renamed];
}
