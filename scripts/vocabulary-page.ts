import { type Row, VOCABULARY } from '../src/contract/vocabulary.ts';

const HEADER = `<!-- Generated from src/contract/vocabulary.ts by \`npm run generate\`. Do not edit. -->

# What a contract may say

The service keeps what \`openapi.yaml\` says, or refuses to start and says where and why. These are the fields of OpenAPI
3.1 and the keywords of JSON Schema 2020-12, and what becomes of each:

- **kept**: the service holds to it at run time, the compiler by the types that are generated, or both;
- **shown**: documentation only: the page at \`/docs\` shows it, and nothing else depends on it;
- **refused**: \`npm run generate\` and the start end with line, column and the way out.

A field that has no row is refused too; one that begins with \`x-\` is shown, but refused among \`paths\` and
\`responses\`. What stands under \`webhooks\` and \`callbacks\`, which the service does not answer, is typed and shown as it
is written. Header parameters named \`Accept\`, \`Content-Type\` and \`Authorization\` are ignored, as OpenAPI demands.

A request is judged by its exact values: an int64 by its digits, a parameter after it is decoded by its \`style\` and the
grammar of its type (a number as in JSON, \`true\` or \`false\`, otherwise a string; UTF-8 only; \`+\` is a space in a
query). A text that could be a number and a string is a number. \`type: integer\` and \`type: number\` without
\`format: int64\` are doubles, as JavaScript has them.
`;

/** The text of docs/contract.md: a table for each kind of object. */
export function vocabularyPage(): string {
  const tables = Object.entries(VOCABULARY).flatMap(([kind, rows]) => {
    const lines = Object.entries(rows).map(([name, row]) => `| \`${name}\` | ${row.is} | ${cell(row)} |`);
    return lines.length === 0 ? [] : [`\n## ${kind} Object\n\n| field | | |\n|---|---|---|\n${lines.join('\n')}\n`];
  });
  return HEADER + tables.join('');
}

function cell({ how }: Row): string {
  return how.replaceAll('|', '\\|');
}
