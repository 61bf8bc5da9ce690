import { ContractError } from '../contract-error.ts';
import { type Follow, locationOf, type Parameter, type Schema } from '../schema/document.ts';
import { Position } from '../schema/positions.ts';
import { inPlace, isOpen, ofOthers, partsOf } from '../schema/subschemas.ts';

// Which values a parameter may have, so that its text can be read in one way only.

type Structure = 'scalar' | 'array' | 'object';

export function structureOf({ types }: Position): Structure {
  if (types.has('array')) return 'array';
  return types.has('object') ? 'object' : 'scalar';
}

/** The names in the query that a parameter reads, except those with brackets (deepObject). */
export function queryNames(parameter: Parameter, position: Position): readonly string[] {
  if (parameter.in !== 'query' || parameter.style === 'deepObject') return [];
  return isSpread(parameter, position) ? [...position.names] : [parameter.name];
}

/** Whether each member of an object is a parameter of the query by itself. */
export function isSpread(parameter: Parameter, position: Position): boolean {
  const isAllowed = parameter.in === 'query' && parameter.style !== 'deepObject' && isExploded(parameter);
  return isAllowed && structureOf(position) === 'object';
}

/** Whether each item or member is written by itself: by default only in `form`, the default style of a query. */
export function isExploded({ in: location, style, explode }: Parameter): boolean {
  return explode ?? (style ?? (location === 'query' ? 'form' : 'simple')) === 'form';
}

/** @throws ContractError if a text could be read in two ways, or in no way */
export function requireReadable(parameter: Parameter, position: Position, follow: Follow): void {
  const { name, style } = parameter;
  const refuse = (what: string, place = locationOf(parameter)) => {
    throw new ContractError(`the parameter ${name} ${what}`, place);
  };
  const { types } = position;
  const structure = structureOf(position);
  // A place without a declared type allows all seven types.
  const hasParts = ({ types: allowed }: Position) =>
    allowed.size <= 6 && ['array', 'object'].some((type) => allowed.has(type));
  // A parameter may also allow null, which no text can express.
  const isScalar = (each: Position) =>
    each.types.size <= 6 && !hasParts(each) && ['string', 'integer', 'boolean'].some((type) => each.types.has(type));
  if (types.size > 6 || (structure === 'scalar' && !isScalar(position)))
    refuse('must have a type: one of string, number, integer, boolean');
  if (structure !== 'scalar' && types.size > 1) refuse(`must be of type ${structure} only, or of scalar types`);
  const schemas = inPlace([parameter.schema], follow);
  const { places, patterns } = partsOf(schemas);
  const items = Array.from({ length: places + 1 }, (_, index) => position.item(index));
  const isItem = (each: Position, index: number) => (index > 0 && index === places ? !hasParts(each) : isScalar(each));
  if (structure === 'array' && !items.every(isItem)) refuse('must have items that are strings, numbers or booleans');
  const { properties = {}, required = [] }: Schema = typeof parameter.schema === 'object' ? parameter.schema : {};
  for (const each of structure === 'object' ? position.names : []) {
    if (isScalar(position.member(each))) continue;
    // Only such a member can be left out by itself: others are those of a component, which others may use.
    const isOwn = Object.hasOwn(properties, each) && !required.includes(each);
    refuse('must have members that are strings, numbers or booleans', isOwn ? locationOf(properties, each) : undefined);
  }
  const others = schemas.flatMap(ofOthers).map((each) => new Position(each, follow));
  if (structure === 'object' && others.some(hasParts))
    refuse('must have members that are strings, numbers or booleans');
  if (style === 'deepObject' && structure !== 'object') refuse('must be an object to have the style deepObject');
  if (!isSpread(parameter, position)) return;
  // Of an object that is silent about other names, the members that it names are read: others are undeclared parameters.
  if (!position.isClosed && (schemas.some(isOpen) || position.names.size === 0))
    refuse('accepts any name in the query: name its members under properties, and add additionalProperties: false');
  if (patterns.length > 0)
    refuse('accepts names in the query by a pattern: name each member under properties, or add style: deepObject');
}
