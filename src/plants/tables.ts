import { int64, optional, table, text } from '#framework';

/** What the steps make; the start compares them with the database. */
export const tables = {
  plants: table({ id: int64(), name: text(), tag: optional(text()) }, 'id'),
};
