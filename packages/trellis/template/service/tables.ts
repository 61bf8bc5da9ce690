import { table, text } from 'trellis';

/** The tables that the steps make; the start compares them with the database. */
export const tables = {
  notes: table({ id: text(), text: text() }, 'id'),
};
