import {
  setShouldValidateFormat,
  registerSchema,
  unregisterSchema,
  validate,
} from '@hyperjump/json-schema/openapi-3-1';
import '@hyperjump/json-schema/formats';
import { inDoubles, type Keywords, withSchemas } from '../../../contract/tools/derivation/schemas.ts';
import { rounded, spelledOut, type Verdict } from '../../testing/derived/judge.ts';

const DIALECT = 'https://spec.openapis.org/oas/3.1/dialect/base';
setShouldValidateFormat(true);
let count = 0;

/**
 * Compiles a schema with an implementation of JSON Schema that shares no code with the service. It computes with
 * doubles.
 *
 * @param document the contract, to whose members the references of the schema lead
 */
export async function judgeOf(schema: Keywords, document: object): Promise<Verdict> {
  const id = `https://contract.example/${count++}`;
  const whole = { ...withSchemas(document, spelledOut), ...withSchemas(schema, spelledOut, 'Schema') };
  registerSchema(inDoubles(whole) as Parameters<typeof registerSchema>[0], id, DIALECT);
  const check = await validate(id);
  unregisterSchema(id);
  return (value) => {
    const verdict = check(rounded(value) as Parameters<typeof check>[0], 'BASIC');
    if (verdict.valid) return [];
    return (verdict.errors ?? []).map(({ keyword }) => keyword.slice(keyword.lastIndexOf('/') + 1));
  };
}
