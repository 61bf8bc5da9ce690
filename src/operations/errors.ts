import type { ErrorBody } from '../contract/types.ts';

/** What is told of an id that belongs to another plant: by createPlant, and by an import. */
export const ID_TAKEN: ErrorBody = { error: 40011, message: 'a different plant with this id exists' };
