import { declares, evaluating, joined } from '../schema/subschemas.ts';
import { type Follow, locationOf, type Schema } from '../schema/document.ts';
import { ContractError } from '../errors.ts';

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
  const isOpen = ({ additionalProperties = false, unevaluatedProperties = false }: Schema) =>
    additionalProperties !== false || unevaluatedProperties !== false;
  return !evaluating(schema, follow).some((each) => declares(each, name) || isOpen(each));
}
