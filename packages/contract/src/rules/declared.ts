import { declares, evaluating, isOpen, joined } from '../schema/subschemas.ts';
import { type Follow, locationOf, type Schema } from '../schema/document.ts';
import { ContractError } from '../contract-error.ts';

/** @throws ContractError if a schema requires a member that it also forbids: no value would be valid */
export function requireDeclared(schema: Schema, follow: Follow): void {
  if (schema.required === undefined) return;
  const all = joined([schema], follow);
  for (const name of schema.required)
    if (all.some((each) => forbids(each, name, follow)))
      throw new ContractError(
        `required names ${name}, which this closed object does not declare: ` +
          'add it to properties, or remove it from required',
        locationOf(schema, 'required'),
      );
}

export function forbids(schema: Schema, name: string, follow: Follow): boolean {
  if (schema.additionalProperties === false) return !declares(schema, name);
  if (schema.unevaluatedProperties !== false) return false;
  return !evaluating(schema, follow).some((each) => declares(each, name) || isOpen(each));
}

/** The names of the members that each object of JavaScript inherits. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);

/**
 * Of these names, those to which `unevaluatedProperties` of a schema applies, unless a branch declares them. Ajv counts each
 * of them as evaluated wherever a branch evaluates another member.
 */
export function unevaluated(schema: Schema, follow: Follow): readonly string[] {
  if ((schema.unevaluatedProperties ?? true) === true) return [];
  const always = joined([schema], follow);
  if (always.some((each) => isOpen(each === schema ? { ...each, unevaluatedProperties: false } : each))) return [];
  return INHERITED.filter((name) => !always.some((each) => declares(each, name)));
}

/** @throws ContractError for a branch that evaluates members whose names `unevaluated` has */
export function requireKnownNames(schema: Schema, follow: Follow): void {
  const names = unevaluated(schema, follow);
  if (names.length === 0) return;
  const always = joined([schema], follow);
  for (const branch of evaluating(schema, follow).filter((each) => !always.includes(each))) {
    const name = names.find((each) => declares(branch, each));
    if (name !== undefined)
      throw new ContractError(
        `a branch beneath unevaluatedProperties must not declare ${name}, a name that each object of JavaScript has: ` +
          'choose another name, or declare it in the schema that has unevaluatedProperties',
        locationOf(
          branch,
          branch.properties && Object.hasOwn(branch.properties, name) ? 'properties' : 'patternProperties',
        ),
      );
    if (isOpen(branch))
      throw new ContractError(
        'a branch beneath unevaluatedProperties must not allow members that it does not name: declare them in properties',
        locationOf(
          branch,
          (branch.additionalProperties ?? false) === false ? 'unevaluatedProperties' : 'additionalProperties',
        ),
      );
  }
}
