import type { ErrorNumber, operations } from '../generated/openapi.ts';
import type { Service } from 'trellis';
import { steps } from './steps.ts';
import { tables } from './tables.ts';

/** The whole service. The compiler names what it lacks. */
export const service = {
  name: 'minimal',
  marker: 'mini',
  contract: new URL('../openapi.yaml', import.meta.url),
  tables,
  steps,
  operations: {},
  records: {},
} satisfies Service<operations, typeof tables, ErrorNumber>;
