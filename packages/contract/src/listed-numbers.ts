import type { OpenApiDocument } from './schema/document.ts';
import { isSchema } from './schema/subschemas.ts';
import { ErrorNumber } from './refusal.ts';

/** The numbers that the schema `Error` of a contract lists, with their meaning. */
export function listedNumbers({ components }: OpenApiDocument): Readonly<Record<string, string>> | undefined {
  const { Error: error = true } = components?.schemas ?? {};
  const listed = isSchema(error) ? error.properties?.['error'] : undefined;
  return isSchema(listed) ? listed['x-error-numbers'] : undefined;
}

/**
 * The numbers with which the service may answer, but which the list of the contract lacks; none without a list. A
 * contract that was released before a number was added may lack the number.
 */
export function unlistedNumbers(document: OpenApiDocument): readonly ErrorNumber[] {
  const numbers = listedNumbers(document);
  return numbers === undefined ? [] : Object.values(ErrorNumber).filter((each) => !Object.hasOwn(numbers, each));
}
