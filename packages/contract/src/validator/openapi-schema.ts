import { ContractError } from '../contract-error.ts';
import { type OpenApiDocument, partAt } from '../schema/document.ts';
import type { Findings } from '../schema/findings.ts';
import { schemaErrors } from './validator-eov.ts';

/** What to write instead, by format or pattern, where the message of the schema does not say it. */
const CURES: Readonly<Record<string, string>> = {
  'uri-reference': 'percent-encode it, as in /my%20terms',
  email: 'write one such as name@example.com',
  '^[a-zA-Z0-9._-]+$': 'name it by letters, digits, dots, hyphens and underscores',
};

/** @param found gets the faults that the schema of OpenAPI 3.1 finds: within a part, only the innermost ones */
export function requireOpenApi(document: OpenApiDocument, found: Findings): void {
  const errors = schemaErrors(document);
  // A part that is wrong makes each part around it wrong.
  const around = new Set(errors.flatMap(({ instancePath }) => prefixesOf(instancePath)));
  for (const { instancePath: pointer, message = 'is invalid', params, propertyName } of errors) {
    if (around.has(pointer)) continue;
    const { unevaluatedProperty, allowedValues, format, pattern } = params as Readonly<
      Record<string, string | undefined>
    > & { readonly allowedValues?: readonly unknown[] };
    const name = propertyName ?? unevaluatedProperty;
    const cure =
      allowedValues?.join(', ') ??
      (unevaluatedProperty === undefined ? CURES[format ?? pattern ?? ''] : 'leave it out');
    const what = [`${pointer || 'it'} ${message}`, name, cure].filter((each) => each !== undefined).join(': ');
    const { part, place } = partAt(document, pointer, name);
    found.add(new ContractError(`this is not valid OpenAPI 3.1: ${what}`, place), part);
  }
}

/** The pointers of all parts around the part of a JSON Pointer. */
function prefixesOf(pointer: string): string[] {
  return Array.from(pointer.matchAll(/\//g), ({ index }) => pointer.slice(0, index));
}
