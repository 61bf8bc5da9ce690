import { table, text } from 'trellis';

/** What the steps make; the start compares them with the database. */
export const tables = {
  notes: table({ id: text(), text: text() }, 'id'),
};
