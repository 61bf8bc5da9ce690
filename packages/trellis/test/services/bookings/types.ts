import type { components, operations } from './generated/openapi.ts';
import type * as framework from 'trellis';
import type { resources } from './resources.ts';
import type { tables } from './tables.ts';

export type Request<Id extends keyof operations> = framework.Request<operations, Id>;
export type Reply<Id extends keyof operations> = framework.Reply<operations, Id>;
export type Schema<Name extends keyof components['schemas']> = framework.Schema<components, Name>;
export type Tools = framework.Tools<typeof tables, undefined, typeof resources>;
