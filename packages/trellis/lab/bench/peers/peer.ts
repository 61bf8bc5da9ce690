import { layoutOf } from '../../../src/storage/layout.ts';
import { openStore } from '../../../src/storage/open.ts';
import type { Store } from '../../../src/storage/store.ts';
import { bench } from '../service/index.ts';

/** The environment of a peer. */
export const PORT = Number(process.env['PORT']);
export const DATABASE_URL = process.env['DATABASE_URL'] ?? '';
/** The file of a SQLite store. */
export const DATABASE = DATABASE_URL.replace(/^sqlite:/, '');
export const AUTHORIZATION = `Bearer ${process.env['TOKEN'] ?? ''}`;

export async function projectStore(): Promise<Store> {
  return await openStore(layoutOf(bench), { engine: 'sqlite', path: DATABASE }, { create: true });
}

export interface NewItem {
  readonly id: number;
  readonly name: string;
  readonly tag?: string;
}

const name = { type: 'string', minLength: 1, maxLength: 1000 } as const;
const tag = { type: 'string', maxLength: 200 } as const;
export const ERROR = {
  type: 'object',
  required: ['error', 'message'],
  properties: { error: { type: 'integer' }, message: { type: 'string' } },
} as const;

/** The schemas of createItem for Fastify, without the patterns and without the bounds of int64. */
export const FASTIFY_SCHEMA = {
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['id', 'name'],
    properties: { id: { type: 'integer' }, name, tag },
  },
  response: { 200: { type: 'object', required: ['name'], properties: { name, tag } }, 400: ERROR, 401: ERROR },
} as const;
