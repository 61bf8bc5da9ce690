import { createRequire } from 'node:module';
import type * as Ajv from 'ajv/dist/core.js';
import { budget, countParts, requireMore } from '../schema/budget.ts';
import { CALL, COPY, NAME, type Weights } from './weights.ts';

/** The keyword of the translation: its value is the index of the weights that a schema spends. */
export const SPEND = 'spend';

/** To find and copy a fault, where all are described. */
const FAULT = 40;

const require = createRequire(import.meta.url);

/** Ajv writes it into the code of each schema: a function that it called would cost a hundred times as much. */
export function spendKeyword(weights: readonly Weights[]): Ajv.CodeKeywordDefinition {
  // Code is made by the Ajv that compiles it.
  const ofValidator = createRequire(require.resolve('express-openapi-validator'));
  // eslint-disable-next-line no-restricted-syntax -- the name of Ajv's documented tag of templates of code
  const { _, Name } = ofValidator('ajv/dist/core') as Pick<typeof Ajv, '_' | 'Name'>;

  /** The names of members on the way to the value, which this function writes out in each path. */
  const namesIn = ({ it }: Ajv.KeywordCxt): readonly Ajv.Name[] =>
    Object.keys((it.errorPath as unknown as { readonly names: object }).names)
      .filter((name) => /^key\d/.test(name))
      .map((name) => new Name(name));

  return {
    keyword: SPEND,
    schemaType: 'number',
    // Ajv applies the keywords of a schema in the order in which it knows them.
    before: '$ref',
    code(cxt) {
      const { gen, data, it, allErrors } = cxt;
      const { schema, once, character, part, faults, isClosed } = weights[cxt.schema as number] ?? CALL;
      const eachPart = part + (allErrors && isClosed ? FAULT : 0);
      let cost: Ajv.Code = _`${once + (allErrors ? FAULT * faults : 0)}`;
      if (schema === undefined) cost = _`${cost} + ${COPY} * ${new Name('errors')}`;
      if (character > 0) cost = _`${cost} + (typeof ${data} === "string" ? ${character} * ${data}.length : 0)`;
      if (eachPart > 0) cost = _`${cost} + ${eachPart} * ${gen.scopeValue('func', { ref: countParts })}(${data})`;
      const calls = countCalls(it.schema);
      if (calls > 0) for (const name of namesIn(cxt)) cost = _`${cost} + ${calls * NAME} * ${name}.length`;
      const kept = gen.scopeValue('obj', { ref: budget });
      if (schema !== undefined) gen.code(_`${kept}.at = ${gen.scopeValue('obj', { ref: schema })}`);
      gen.if(_`(${kept}.left -= ${cost}) < 0`, () => gen.code(_`${gen.scopeValue('func', { ref: requireMore })}()`));
    },
  };
}

/** The functions that Ajv calls for the schema, without the schemas in it that spend by themselves. */
function countCalls(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 0;
  return Object.entries(schema).reduce(
    (count, [keyword, value]) =>
      count + Number(/^(?:\$ref|exact\d+)$/.test(keyword)) + (isSpending(value) ? 0 : countCalls(value)),
    0,
  );
}

function isSpending(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && SPEND in schema;
}
