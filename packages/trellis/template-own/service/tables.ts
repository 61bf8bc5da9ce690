/** The tables that the steps make; the start compares them with the database. */
export const tables = {};
