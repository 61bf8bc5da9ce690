import type { Operations } from '../contract/types.ts';
import { createPlant } from './createPlant.ts';
import type { Tools } from './services.ts';

/** The operations of the contract by operationId. The compiler names one that is missing, or too many. */
export const operations = {
  createPlant,
} satisfies Operations<Tools>;
