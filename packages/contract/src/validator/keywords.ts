import { createRequire } from 'node:module';
import type * as Ajv from 'ajv/dist/core.js';
import { budget, countMembers, countParts, requireMore } from '../schema/budget.ts';
import { CHECKED, type ExactCheck, isLarge, type IsValid } from '../schema/exact.ts';
import { CALL, COPY, NAME, type Weights } from './weights.ts';

// The keywords of a translation that JSON Schema does not have.

/** The keyword of the translation: its value is the index of the weights that a schema spends. */
export const SPEND = 'spend';

/** The keyword of the translation for members with the names of those that each object inherits. */
export const INHERITED = 'inherited';

/** The work to find and copy one fault, when all faults are to be found. */
const FAULT = 40;

const require = createRequire(import.meta.url);

/** The keyword of the translation that checks this one exactly: its value is the index of the check. */
export const exactly = (keyword: ExactCheck['keyword']): string => `exact:${keyword}`;

/** A keyword for each check would take a time that grows with their square. */
export function keywordsOf(checks: readonly ExactCheck[], weights: readonly Weights[]): Ajv.KeywordDefinition[] {
  return [spendKeyword(weights), INHERITING, ...CHECKED.map((checked) => checkKeyword(checked, checks))];
}

function checkKeyword(checked: ExactCheck['keyword'], checks: readonly ExactCheck[]): Ajv.KeywordDefinition {
  // eslint-disable-next-line no-restricted-syntax -- the name of Ajv's documented tag of templates of code
  const { _ } = codegen();
  const error: Ajv.KeywordDefinition['error'] = {
    message: ({ schema }) => checks[schema as number]?.message ?? '',
    params: ({ schema }) => _`{ check: ${schema as number} }`,
  };
  const ofAll = { keyword: exactly(checked), schemaType: 'number' as const, error };
  if (checked === 'pattern')
    return {
      ...ofAll,
      type: 'string',
      code(cxt) {
        const { isValid } = checks[cxt.schema as number] ?? {};
        cxt.fail(_`!${cxt.gen.scopeValue('pattern', { ref: isValid })}.test(${cxt.data})`);
      },
    };
  return {
    ...ofAll,
    // Ajv checks a keyword for arrays after maxItems, and a keyword for all values before it.
    ...(checked === 'uniqueItems' && { type: 'array' as const }),
    // This saves time: otherwise Ajv copies each error that the keyword creates, once for every earlier error.
    errors: false,
    compile: (index: number, _parent, { self }) => {
      const { isValid, part } = checks[index] ?? {};
      if (isValid === undefined || isValid instanceof RegExp) throw new Error(`${checked} has no check ${index}`);
      // Only a check of parts calls its second argument.
      return part === undefined ? (isValid as (value: unknown) => boolean) : withPart(isValid, part, self);
    },
  };
}

/** Loads the copy of Ajv that compiles the code, which belongs to express-openapi-validator. */
function codegen(): Pick<typeof Ajv, '_' | 'Name'> {
  const ofValidator = createRequire(require.resolve('express-openapi-validator'));
  return ofValidator('ajv/dist/core') as typeof Ajv;
}

/** A component that Ajv has compiled. `errors` has the faults of the value that it refused last. */
export interface Check {
  (data: object, at?: At): boolean;
  errors?: readonly Report[] | null;
}

/** Where the value stands in the message. */
type At = Parameters<Ajv.ValidateFunction>[1];

/** A fault as Ajv reports it. */
export interface Report {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<
    Partial<Record<'missingProperty' | 'additionalProperty' | 'unevaluatedProperty', string>> &
      Partial<Record<'type' | 'format' | 'pattern' | 'limit', unknown>> & { readonly check?: number }
  >;
}

/** The part of Ajv that is used here. */
export interface Compiler {
  getSchema(name: string): Check | undefined;
  addSchema(schema: object): unknown;
}

export function compiled(ajv: Compiler, component: string): Check {
  const check = ajv.getSchema(component);
  if (check === undefined) throw new Error(`express-openapi-validator did not compile ${component}`);
  return check;
}

/** Ajv compiles the component on first use, as schemas may contain themselves. */
function withPart(isValid: IsValid, part: string, self: Compiler) {
  let check: Check | undefined;
  return (value: unknown) =>
    isValid(value, (each) => {
      check ??= compiled(self, part);
      return check(each as object);
    });
}

interface Inherited {
  readonly names: readonly string[];
  /** The component that each member with one of the names must satisfy. */
  readonly part: string;
}

/** Ajv itself would count these members as evaluated (unevaluatedProperties), as it keeps names in ordinary objects. */
const INHERITING: Ajv.KeywordDefinition = {
  keyword: INHERITED,
  type: 'object',
  errors: true,
  compile({ names, part }: Inherited, _parent: unknown, { self }: { readonly self: Compiler }) {
    let check: Check | undefined;
    const validate = (value: object, at: At) => {
      const found = names.filter((name) => Object.hasOwn(value, name));
      if (found.length === 0) return true;
      check ??= compiled(self, part);
      const isValid = check;
      const errors = found.flatMap((name) => {
        const inside = at && { ...at, instancePath: `${at.instancePath}/${name}` };
        return isValid(Reflect.get(value, name) as object, inside) ? [] : (isValid.errors ?? []);
      });
      validate.errors = [...errors];
      return errors.length === 0;
    };
    validate.errors = [] as Report[];
    return validate;
  },
};

/** Ajv writes the spending into the code of each schema: a call of a function would cost a hundred times as much. */
function spendKeyword(weights: readonly Weights[]): Ajv.CodeKeywordDefinition {
  // eslint-disable-next-line no-restricted-syntax -- the name of Ajv's documented tag of templates of code
  const { _, Name } = codegen();

  /** The variables of the compiled code that hold the names of members on the way to the value. */
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
      const { schema, once, character, member, faults, isClosed } = weights[cxt.schema as number] ?? CALL;
      let cost: Ajv.Code = _`${once + (allErrors ? FAULT * faults : 0)}`;
      const calls = countCalls(it.schema);
      // A failing pattern of patternProperties does not end the search through the members: Ajv goes on to the next one.
      if (schema === undefined || calls > 0) cost = _`${cost} + ${COPY} * ${new Name('errors')}`;
      if (character > 0) cost = _`${cost} + (typeof ${data} === "string" ? ${character} * ${data}.length : 0)`;
      const times = (work: number, ref: typeof countParts) => _`${work} * ${gen.scopeValue('func', { ref })}(${data})`;
      if (member > 0) cost = _`${cost} + ${times(member, countMembers)}`;
      if (allErrors && isClosed) cost = _`${cost} + ${times(FAULT, countParts)}`;
      if (calls > 0) for (const name of namesIn(cxt)) cost = _`${cost} + ${calls * NAME} * ${name}.length`;
      const kept = gen.scopeValue('obj', { ref: budget });
      if (schema !== undefined) gen.code(_`${kept}.at = ${gen.scopeValue('obj', { ref: schema })}`);
      gen.if(_`(${kept}.left -= ${cost}) < 0`, () => gen.code(_`${gen.scopeValue('func', { ref: requireMore })}()`));
    },
  };
}

/** The number of functions that Ajv calls for the schema, without the schemas in it that spend by themselves. */
function countCalls(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 0;
  return Object.entries(schema).reduce(
    (count, [keyword, value]: [string, unknown]) =>
      count + Number(/^(?:\$ref|exact:.+)$/.test(keyword)) + (isLarge(value) && SPEND in value ? 0 : countCalls(value)),
    0,
  );
}
