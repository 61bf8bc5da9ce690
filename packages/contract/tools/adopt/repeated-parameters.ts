import { resolver } from '../../src/schema/document.ts';
import { exactJson } from '../../src/schema/int64.ts';
import { asked, type Question } from './decisions.ts';
import type { Edit } from './edits.ts';
import { nodesIn } from '../../src/rules/objects.ts';
import { isNode, safely, type Tree } from './tree.ts';

/** The parameters of a list that have the same name and the same place: those behind references too. */
function repeatedIn(list: unknown, document: Tree): (readonly [first: Tree, ...others: Tree[]])[] {
  const resolve = resolver(document);
  const items = Array.isArray(list) ? list.filter(isNode) : [];
  const groups = Map.groupBy(items, (item) => {
    const { in: place, name } = safely(() => resolve(item)) ?? {};
    if (typeof name !== 'string') return item;
    return place === 'header' ? `header ${name.toLowerCase()}` : `${String(place)} ${name}`;
  });
  return [...groups.values()].flatMap(([first, ...others]) =>
    first !== undefined && others.length > 0 ? [[first, ...others] as const] : [],
  );
}

/** Takes items out of a list, and never what they refer to. */
function remove(list: unknown[], gone: readonly Tree[]): void {
  // From the end, as the same alias of YAML may stand in the list twice.
  for (const each of gone) list.splice(list.lastIndexOf(each), 1);
}

export const REPEATED: readonly Edit[] = (['Path Item', 'Operation'] as const).map((of) => ({
  what: 'a parameter that a list has twice stands there once',
  of,
  change: (node, { document }) => {
    const resolve = resolver(document);
    const same = repeatedIn(node['parameters'], document).flatMap(([first, ...others]) => {
      const said = exactJson(resolve(first));
      return others.filter((each) => exactJson(resolve(each)) === said);
    });
    remove(node['parameters'] as unknown[], same);
    return same.map((each) => ({ node: each, name: String(resolve(each)['name']) }));
  },
}));

export const REPEATED_PARAMETERS: Question = {
  key: 'repeated-parameters',
  ask: ({ document }) => {
    const lists = nodesIn(document).flatMap(({ node, kind }) => {
      const list = node['parameters'];
      if (!(kind === 'Path Item' || kind === 'Operation')) return [];
      return repeatedIn(list, document).map((group) => ({ list: list as unknown[], group }));
    });
    const keep = (index: number) => () => {
      for (const { list, group } of lists) remove(list, group.toSpliced(index, 1));
    };
    const spots = lists.flatMap(({ group }) =>
      group.map((node) => ({
        node,
        name: `${String(resolver(document)(node)['name'])} is declared ${group.length} times`,
      })),
    );
    return asked(
      'parameters that a list declares several times, each time otherwise',
      spots,
      { name: 'first', means: 'the first of them stays', apply: keep(0) },
      { name: 'last', means: 'the last of them stays', apply: keep(-1) },
    );
  },
};
