import { types } from 'node:util';
import type { ContractContent } from '../message/content.ts';
import type { Fault } from '../message/faults.ts';
import type { FindFaults } from './verdict.ts';

/** Judges a body of bytes itself, where the validator, which knows only JSON, sees any value. */
export function judging(content: ContractContent | undefined, find: FindFaults): FindFaults {
  if (content?.kind !== 'bytes' || typeof content.schema === 'boolean') return find;
  const { minLength = 0, maxLength = Infinity } = content.schema;
  return (message, work) => {
    const { body } = message as { readonly body?: unknown };
    const faults = find(message, work);
    const fault = body === undefined ? undefined : faultOf(body, minLength, maxLength);
    return fault === undefined ? faults : [fault, ...(faults ?? [])];
  };
}

function faultOf(body: unknown, minLength: number, maxLength: number): Fault | undefined {
  const path = '/body';
  if (!types.isUint8Array(body)) return { path, keyword: 'type', wanted: 'a Uint8Array', message: '' };
  if (body.length < minLength)
    return { path, keyword: 'minLength', wanted: minLength, message: `must have at least ${minLength} bytes` };
  if (body.length > maxLength)
    return { path, keyword: 'maxLength', wanted: maxLength, message: `must have at most ${maxLength} bytes` };
  return undefined;
}
