import { resolver, type Schema } from '../../src/contract/schema/document.ts';
import { beneath, closure, typed, typesOf } from '../../src/contract/schema/subschemas.ts';
import { drop, type Edit } from './edits.ts';
import { defaultsNotKept, marksNotKept } from './places.ts';
import { isNode, memberOf, type Tree, nodesIn, operationsIn } from './tree.ts';

const MEMBERS = ['properties', 'patternProperties', 'additionalProperties'];

/** What is edited when all references are known to lead to what they should. */
export const EDITS_OF_MEANING: readonly Edit[] = [
  {
    what: 'a schema that has members says that it is an object',
    of: 'OpenAPI',
    change: (_, { document, follow }) => {
      const bodies = bodiesIn(document);
      const changed = closure(bodies, (each) => [
        ...typed(each, follow),
        ...typed(each, follow).flatMap(beneath),
      ]).filter(
        (each) =>
          ['type', 'enum', 'const'].every((name) => !Object.hasOwn(each, name)) &&
          MEMBERS.some((name) => Object.hasOwn(each, name)) &&
          !typesOf(each, follow).isSubsetOf(new Set(['object'])),
      );
      for (const each of changed) Object.assign(each, { type: 'object' });
      return changed.length;
    },
  },
  {
    what: 'a default of what is no member and no parameter went: it says nothing',
    of: 'OpenAPI',
    change: (_, { document, follow }) => {
      const silent = defaultsNotKept(document, follow).filter(({ isSilent }) => isSilent);
      for (const { node: schema } of silent) drop(schema as Tree, 'default');
      return silent.length;
    },
  },
  {
    what: 'readOnly and writeOnly moved to the members that refer to the schema',
    of: 'OpenAPI',
    change: (_, { document, follow }) => {
      const marked = marksNotKept(document, follow) as Tree[];
      for (const { node, kind } of nodesIn(document)) {
        if (kind !== 'Schema') continue;
        for (const member of Object.values(memberOf(node, 'properties') ?? {})) {
          const target = isNode(member) && typeof member['$ref'] === 'string' ? follow(member['$ref']) : undefined;
          if (!isNode(member) || !isNode(target) || !marked.includes(target)) continue;
          for (const mark of ['readOnly', 'writeOnly']) if (target[mark] === true) member[mark] = true;
        }
      }
      for (const each of marked) for (const mark of ['readOnly', 'writeOnly']) drop(each, mark);
      return marked.length;
    },
  },
];

/** The schemas of all bodies of requests. */
function bodiesIn(document: Tree): Schema[] {
  const resolve = resolver(document);
  return operationsIn(document).flatMap(({ node }) => {
    const body = memberOf(node, 'requestBody');
    const content = memberOf(body && resolve(body), 'content') ?? {};
    return Object.values(content).flatMap((media) => memberOf(media, 'schema') ?? []) as Schema[];
  });
}
