import { ContractError } from '../contract-error.ts';
import { type AnySchema, locationOf, type Schema } from '../schema/document.ts';
import { applicator, keywordsThat } from '../schema/applicators.ts';

/** Keywords that the generated types ignore. */
const UNTYPED: readonly string[] = keywordsThat(({ isUntyped }) => isUntyped === true);
/** Keywords whose members Ajv would count as evaluated (unevaluatedProperties) even where the branch fails. */
export const BRANCHES: readonly string[] = keywordsThat(
  ({ to, holds }) => to === 'the value' && holds === 'by a branch',
).concat('if');
/** Keywords whose schemas apply to some values only. */
const CONDITIONAL: readonly string[] = keywordsThat(({ holds }) => holds !== undefined);

/** Where a schema stands, which decides what it may contain. */
export interface Place {
  readonly of: 'a member' | 'a parameter' | 'another value';
  /** Whether the schema stands beneath one of CONDITIONAL. */
  readonly isConditional: boolean;
  /** Whether the schema stands beneath none of UNTYPED. */
  readonly isTyped: boolean;
  /** The schemas that have led to this one by `$ref`, for the same value. */
  readonly within: readonly AnySchema[];
  /** Members that must not be sent in this direction, by this schema or another one of the same value. */
  readonly barred: readonly string[];
}
export const ELSEWHERE: Place = { of: 'another value', isConditional: false, isTyped: true, within: [], barred: [] };
export const OF_PARAMETER: Place = { ...ELSEWHERE, of: 'a parameter' };
export const OF_MEMBER: Place = { ...ELSEWHERE, of: 'a member' };

/** `example`: an example or a default of the contract, which may have the members of either direction. */
export type Direction = 'request' | 'reply' | 'example';

/** The place of a schema that stands in this keyword of a schema at `place`. */
export function innerPlace(place: Place, keyword: string): Place {
  const { to } = applicator(keyword) ?? {};
  const isSame = to === 'the value';
  return {
    of: to === 'a member' ? to : 'another value',
    isConditional: place.isConditional || CONDITIONAL.includes(keyword),
    isTyped: place.isTyped && !UNTYPED.includes(keyword),
    within: isSame ? place.within : [],
    barred: isSame ? place.barred : [],
  };
}

/** @throws ContractError for a schema that is not supported in its place */
export function requirePlace(schema: Schema, place: Place, direction: Direction): void {
  const { readOnly = false, writeOnly = false, format, discriminator, oneOf, anyOf } = schema;
  const refuse = (member: string, what: string) => {
    throw new ContractError(what, locationOf(schema, member));
  };
  if ((readOnly || writeOnly) && place.of !== 'a member')
    refuse(
      readOnly ? 'readOnly' : 'writeOnly',
      'readOnly and writeOnly must stand in a member of an object: write them under properties, beside the $ref',
    );
  if (format === 'int64' && !place.isTyped)
    refuse(
      'format',
      `format: int64 must not stand beneath ${UNTYPED.join(', ')}, as the generated types ignore these: remove the format`,
    );
  if (discriminator !== undefined && oneOf === undefined && anyOf === undefined)
    refuse('discriminator', 'a discriminator must stand beside oneOf or anyOf');
  if (schema.default === undefined || direction !== 'request') return;
  if (place.of === 'another value')
    refuse('default', 'only a parameter or a member of an object can have a default: leave it out');
  if (place.isConditional)
    refuse('default', `a default applies to all requests: it must not stand beneath ${CONDITIONAL.join(', ')}`);
}
