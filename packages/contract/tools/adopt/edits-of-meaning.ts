import { targetOf } from '../../src/schema/document.ts';
import { namesIn } from '../../src/schema/yaml.ts';
import { beneath, closure, joined, OF_MEMBERS, typed, typesOf } from '../../src/schema/subschemas.ts';
import { drop, type Edit } from './edits.ts';
import { defaultsNotKept, marksNotKept } from './places.ts';
import { nodesIn } from '../../src/rules/objects.ts';
import { added, isNode, memberOf, schemasOfMessages, type Tree } from './tree.ts';

const MAX_NAMES = 100;

/** The edits that are made once all references are known to lead to the right objects. */
export const EDITS_OF_MEANING: readonly Edit[] = [
  {
    what: 'a schema that is referred to within another part became a component',
    of: 'OpenAPI',
    change: (_, { document, follow }) => {
      const references = nodesIn(document).filter(
        ({ node: { $ref }, kind }) =>
          kind === 'Schema' && typeof $ref === 'string' && !/^#\/components\/schemas\/[^/]*$/.test($ref),
      );
      const groups = [...Map.groupBy(references, ({ node }) => String(node['$ref']))];
      const depthOf = ([$ref]: (typeof groups)[number]) => $ref.split('/').length;
      // The innermost ones first: once a schema has moved, a reference no longer leads through its place.
      for (const [$ref, referring] of groups.sort((one, other) => depthOf(other) - depthOf(one))) {
        const schema = follow($ref);
        const [, around = '', member = ''] = /^(.*)\/([^/]*)$/.exec($ref) ?? [];
        const names = Array.from({ length: MAX_NAMES }, (_each, index) => `${member}${index === 0 ? '' : index + 1}`);
        const moved = added(document, 'schemas', names, schema);
        const [last = ''] = namesIn(`#/${member}`) ?? [];
        Object.assign(targetOf(document, around) as Tree, { [last]: { $ref: moved } });
        for (const { node } of referring) node['$ref'] = moved;
      }
      return references.map(({ node }) => ({ node, member: '$ref' }));
    },
  },
  {
    what: 'a schema that has members says that it is an object',
    of: 'OpenAPI',
    change: (_, { document, follow }) => {
      const sent = schemasOfMessages(document).flatMap(({ of, schema }) => (of === 'reply' ? [] : [schema]));
      const changed = closure(sent, (each) => {
        const all = typed(each, follow);
        return [...all, ...all.flatMap(beneath)];
      }).filter(
        (each) =>
          ['type', 'enum', 'const'].every((name) => !Object.hasOwn(each, name)) &&
          OF_MEMBERS.some((name) => Object.hasOwn(each, name)) &&
          !typesOf(each, follow).isSubsetOf(new Set(['object'])),
      );
      for (const each of changed) Object.assign(each, { type: 'object' });
      return changed.map((node) => ({ node }));
    },
  },
  {
    what: 'a default of a value that is no member and no parameter was removed: it has no effect',
    of: 'OpenAPI',
    change: (_, { document, follow }) => {
      const silent = defaultsNotKept(document, follow).filter(({ isSilent }) => isSilent);
      for (const { node: schema } of silent) drop(schema as Tree, 'default');
      return silent.map(({ node }) => ({ node, member: 'default' }));
    },
  },
  {
    what: 'readOnly and writeOnly moved to the members that refer to the schema',
    of: 'OpenAPI',
    change: (_, { document, follow }) => {
      const marked = marksNotKept(document, follow) as Tree[];
      const spots = marked.map((node) => ({ node, member: node['readOnly'] === true ? 'readOnly' : 'writeOnly' }));
      for (const { node, kind } of nodesIn(document)) {
        if (kind !== 'Schema') continue;
        for (const member of Object.values(memberOf(node, 'properties') ?? {})) {
          if (!isNode(member)) continue;
          // A member has the mark of each schema that it must satisfy, also of one behind a second `$ref` or in `allOf`.
          for (const target of joined([member], follow).filter((each) => marked.includes(each as Tree)))
            for (const mark of ['readOnly', 'writeOnly'] as const) if (target[mark] === true) member[mark] = true;
        }
      }
      for (const each of marked) for (const mark of ['readOnly', 'writeOnly']) drop(each, mark);
      return spots;
    },
  },
];
