import type { Schema } from './types.ts';

/** The answer of createPlant to an id that belongs to another plant. */
export const ID_TAKEN: Schema<'Error'> = { error: 40011, message: 'a different plant with this id exists' };
