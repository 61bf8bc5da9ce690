import { variablesOf } from '../../src/contract/rules/addresses.ts';
import { type Contract, readOperations } from '../../src/contract/contract.ts';
import { METHODS, type Parameter, type PathItem, resolver } from '../../src/contract/schema/document.ts';
import { withValidators } from '../../src/contract/validator/validator-eov.ts';

const shapeOf = (path: string) => path.replaceAll(/\{[^}]*\}/g, '{}');

/** The paths of the old contract that differ from one of the new contract only in the names of parameters. */
export function renamedPaths(was: Contract, is: Contract): ReadonlyMap<string, string> {
  const [old, now] = [was, is].map(({ document }) => Object.keys(document.paths ?? {})) as [string[], string[]];
  const added = new Map(now.filter((path) => !old.includes(path)).map((path) => [shapeOf(path), path]));
  const gone = old.filter((path) => !now.includes(path));
  return new Map(gone.flatMap((path) => (added.has(shapeOf(path)) ? [[path, added.get(shapeOf(path)) ?? path]] : [])));
}

/** The old contract with the new names: requests match as before. */
export function withNewNames(contract: Contract, renamed: ReadonlyMap<string, string>): Contract {
  if (renamed.size === 0) return contract;
  const resolve = resolver(contract.document);
  const paths = Object.entries(contract.document.paths ?? {}).map(([path, item]): [string, PathItem] => {
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
  const document = { ...contract.document, paths: Object.fromEntries(paths) };
  return { ...contract, document, operations: withValidators(readOperations(document), document) };
}
