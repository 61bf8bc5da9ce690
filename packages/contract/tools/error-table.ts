import { follower, type OpenApiDocument } from '../src/schema/document.ts';

/** The table of error numbers: its head, and its rows. */
const TABLE = /^\| error \| meaning +\|\n(?:\|.*\n)*/m;

/** Puts the error numbers that a contract lists into a page that has their table. */
export function withErrorNumbers(page: string, document: OpenApiDocument): string {
  const error = follower(document)('#/components/schemas/Error/properties/error');
  const rows = typeof error === 'object' ? Object.entries(error['x-error-numbers'] ?? {}) : [];
  const width = Math.max(...rows.map(([, meaning]) => meaning.length), 'meaning'.length);
  const line = (number: string, meaning: string) => `| ${number} | ${meaning.padEnd(width)} |\n`;
  const head = line('error', 'meaning') + line('-----', '-'.repeat(width));
  return page.replace(TABLE, () => head + rows.map(([number, meaning]) => line(number, meaning)).join(''));
}
