import type { Schema } from '../../src/contract/schema/document.ts';
import { asked, leaveOut, leavingOut, type Question } from './decisions.ts';
import { defaultsNotKept } from './places.ts';
import { isPinned, wrongExamples } from './reading.ts';
import { memberOf, type Tree, nodesIn } from './tree.ts';

/** What is asked when all references are known to lead to what they should. */
export const QUESTIONS_OF_MEANING: readonly Question[] = [
  leavingOut(
    'defaults',
    'defaults that only some requests would have',
    'the document does not say it any more; operations may fill it in',
    ({ document, follow }) =>
      defaultsNotKept(document, follow).map(({ node }) => ({ node, member: 'default', name: String(node.default) })),
  ),
  {
    key: 'discriminators',
    ask: ({ document, follow }) => {
      const refused = nodesIn(document).flatMap(({ node, kind }) => {
        const schema = node as Schema;
        if (kind !== 'Schema' || schema.discriminator === undefined) return [];
        return isPinned(schema, follow)
          ? []
          : [{ node, member: 'discriminator', name: schema.discriminator.propertyName, schema }];
      });
      const pin = () => {
        for (const { schema, node } of refused) {
          const { propertyName = '', mapping = {} } = schema.discriminator ?? {};
          for (const branch of schema.oneOf ?? schema.anyOf ?? []) {
            const $ref = typeof branch === 'object' ? branch.$ref : undefined;
            const target = $ref === undefined ? undefined : (follow($ref) as Tree);
            const name = $ref?.replace(/^.*\//, '') ?? '';
            const mapped = Object.entries(mapping).filter(([, each]) => each === $ref || each === name);
            const values = mapped.length > 0 ? mapped.map(([value]) => value) : [name];
            if (target === undefined) continue;
            const only = values.length === 1 ? { const: values[0] } : { enum: values };
            const properties = memberOf(target, 'properties') ?? {};
            const { const: _, enum: __, ...said } = memberOf(properties, propertyName) ?? {};
            target['properties'] = Object.assign(properties, { [propertyName]: { ...said, ...only } });
            const required = Array.isArray(target['required']) ? (target['required'] as unknown[]) : [];
            target['required'] = [...new Set([...required, propertyName])];
          }
          if (!isPinned(schema, follow)) Reflect.deleteProperty(node, 'discriminator');
        }
      };
      return asked(
        'discriminators whose branches do not fix the value',
        refused,
        leaveOut(refused, 'the branches alone decide, as they do in JSON Schema'),
        {
          name: 'const',
          means: 'each branch that is a component requires the value by const; else as leave-out',
          apply: pin,
        },
      );
    },
  },
];

/** What is asked of a document that compiles. */
export const QUESTIONS_OF_EXAMPLES: readonly Question[] = [
  {
    key: 'examples',
    ask: ({ document }) => {
      const spots = wrongExamples(document);
      const apply = () => {
        for (const { node, member } of spots) Reflect.deleteProperty(node, member);
        // A hole is left in a list, which its length counts.
        for (const { node } of spots) if (Array.isArray(node)) node.splice(0, Infinity, ...(node as unknown[]).flat(0));
        for (const { node, kind } of nodesIn(document))
          if (kind === 'Schema' && Array.isArray(node['examples']) && node['examples'].length === 0)
            Reflect.deleteProperty(node, 'examples');
      };
      return asked('examples and defaults that their own schemas refuse', spots, {
        name: 'leave-out',
        means: 'the document does not show them any more',
        apply,
      });
    },
  },
];
