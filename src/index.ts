import type { ErrorNumber, operations } from '../generated/openapi.ts';
import type { Service } from 'trellis';
import { createPlant } from './createPlant.ts';
import { steps, tables } from './storage.ts';

/** The plant store. The compiler names each operation that is missing or that the contract does not declare. */
export const plants = {
  name: 'plant-store',
  marker: 'plnt',
  contract: new URL('../openapi.yaml', import.meta.url),
  tables,
  steps,
  operations: {
    createPlant,
  },
  records: { plants: 'createPlant' },
} satisfies Service<operations, typeof tables, ErrorNumber>;
