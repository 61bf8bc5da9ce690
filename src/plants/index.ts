import type { Operations } from '../framework/contract/types.ts';
import { createPlant } from './createPlant.ts';
import type { Tools } from '../framework/services.ts';

/** By operationId. The compiler names each that is missing or that the contract does not declare. */
export const operations = {
  createPlant,
} satisfies Operations<Tools>;
