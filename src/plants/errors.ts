import type { ErrorBody } from '../framework/contract/types.ts';

/** The answer of createPlant and of an import to an id that belongs to another plant. */
export const ID_TAKEN: ErrorBody = { error: 40011, message: 'a different plant with this id exists' };
