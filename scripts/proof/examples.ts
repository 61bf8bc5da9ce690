import { locationOf, type OpenApiDocument, resolver } from '../../src/contract/document.ts';
import { exactJson } from '../../src/contract/int64.ts';
import { type Kind, VOCABULARY } from '../../src/contract/vocabulary.ts';
import { type Direction, Judge, type Schema } from './judge.ts';
import { fromDocument, isObject } from './values.ts';

/** The direction in which the values of such an object are sent. */
const DIRECTIONS: Partial<Record<Kind, Direction>> = {
  'Request Body': 'request',
  Parameter: 'request',
  Response: 'reply',
  Header: 'reply',
};

/** Finds the examples and defaults in the whole contract that their schemas do not allow. */
export function wrongExamples(document: OpenApiDocument): string[] {
  const judges = (['request', 'reply', 'either'] as const).map(
    (direction) => [direction, new Judge(document, direction)] as const,
  );
  const resolve = resolver(document);
  const seen = new Set<unknown>();
  const wrong: string[] = [];
  /** @param direction `either` accepts an example that is valid in one direction */
  const check = (schema: Schema, value: unknown, at: object, field: string, direction: Direction) => {
    const asked = judges.filter(([each]) => direction === 'either' || each === direction);
    if (asked.some(([, judge]) => judge.isValid(schema, fromDocument(value)))) return;
    wrong.push(`${locationOf(at)}, ${field}: ${exactJson(value)} is not valid by its schema, ${locationOf(schema)}`);
  };
  const visit = (value: unknown, kind: Kind, around: Direction): void => {
    if (!isObject(value) || seen.has(value)) return;
    seen.add(value);
    const direction = DIRECTIONS[kind] ?? around;
    const { examples = [], schema = kind === 'Schema' ? value : undefined } = value;
    if (schema !== undefined) {
      const where = kind === 'Schema' ? 'either' : direction;
      for (const field of ['example', 'default'].filter((each) => each === 'example' || kind === 'Schema'))
        if (value[field] !== undefined) check(schema as Schema, value[field], value, field, where);
      if (Array.isArray(examples))
        examples.forEach((each) => {
          check(schema as Schema, each, value, 'examples', where);
        });
      else
        for (const [name, each] of Object.entries(examples as object)) {
          const shown = resolve(each as { readonly value?: unknown });
          if (shown.value !== undefined) check(schema as Schema, shown.value, shown, `examples, ${name}`, where);
        }
    }
    for (const [name, { holds }] of Object.entries(VOCABULARY[kind])) {
      const member = value[name];
      if (holds === undefined || member === undefined) continue;
      const held = holds.in === undefined ? [member] : Object.values(member as object);
      held.forEach((each) => {
        visit(each, holds.kind, direction);
      });
    }
  };
  visit(document, 'OpenAPI', 'either');
  return wrong;
}
