import { type DeclaredOperation, refuse } from '../schema/document.ts';

export const DEFAULT_BODY_BYTES = 64 * 1024;
/** A verdict on 1 MiB takes at most half a second, in which the process answers no other request (`test:attacks`). */
export const MAX_BODY_BYTES = 1024 * 1024;

/** @throws ContractError if `x-max-body-bytes` is out of range */
export function readBodyLimit(operation: DeclaredOperation, where: string): number {
  const { 'x-max-body-bytes': limit = DEFAULT_BODY_BYTES } = operation;
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_BODY_BYTES) return limit;
  return refuse(operation, where, `x-max-body-bytes must be an integer from 1 to ${MAX_BODY_BYTES}`);
}
