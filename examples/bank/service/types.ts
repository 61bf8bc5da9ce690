import type { components, operations } from '../generated/openapi.ts';
import type * as framework from 'trellis';
import type { resources } from './resources.ts';
import type { settings } from './settings.ts';
import type { tables } from './tables.ts';

// The types of the framework, bound to this contract and these tables.

export type Request<Id extends keyof operations> = framework.Request<operations, Id>;
export type Reply<Id extends keyof operations> = framework.Reply<operations, Id>;
export type Schema<Name extends keyof components['schemas']> = framework.Schema<components, Name>;
export type Tools = framework.Tools<typeof tables, typeof settings, typeof resources>;
export type Database = framework.Database<typeof tables>;
export type Row<Name extends keyof typeof tables> = framework.Row<(typeof tables)[Name]>;
