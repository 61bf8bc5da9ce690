import { readFileSync, writeFileSync } from 'node:fs';
import { type VocabularyRow, VOCABULARY } from './src/rules/vocabulary.ts';

const HEADER = `<!-- Generated from packages/contract/src/rules/vocabulary.ts by \`npm run generate\`. Do not edit. -->

# What a contract may say

The service keeps or shows every part of \`openapi.yaml\`, or it refuses to start and names the place and the reason. The tables
list the fields of OpenAPI 3.1 and the keywords of JSON Schema 2020-12, each with its effect:

- **kept**: the service enforces it at run time, the compiler enforces it by the generated types, or both do;
- **shown**: it is documentation, which the page at \`/docs\` shows;
- **refused**: \`npm run generate\` and the start stop, and name the line, the column and the way out.

The service refuses a field that is not in the tables. A field that begins with \`x-\` is shown, but one that begins with
\`x-eov-\`, which the validator would read, is refused.
\`webhooks\` and \`callbacks\` describe requests that the service does not answer. OpenAPI ignores
header parameters named \`Accept\`, \`Content-Type\` and \`Authorization\`.

The validator judges exact values: an int64 by its digits, and a parameter after decoding its text by its \`style\` and
type (a number as in JSON, \`true\` or \`false\`, otherwise a string; UTF-8 only; \`+\` is a space in a query). A text that
the schema allows as a number and as a string is a number. \`type: integer\` and \`type: number\` without \`format: int64\`
are doubles, as in JavaScript. Where the contract gives a number no type, it is a double too, and an integer whose
digits a double would not keep gets 400, in JSON with its position. A check that takes too much work ends with 40099.

Members that no schema names are valid in an object that is not closed. Where a schema of the object has \`properties\`, and
none has \`additionalProperties\`, \`unevaluatedProperties\` or \`patternProperties\` other than \`false\`, **they are left
out**: of a request before the operation gets it, of a reply before it is sent. A request that has lost some is judged again.
\`additionalProperties: true\`, or a schema there, keeps them. An object without \`properties\` is free JSON, and keeps all.
Names in \`required\`, \`dependentRequired\`, \`dependentSchemas\`, \`not\` and \`if\` count too, and so do those of all
branches: beside \`anyOf\`, a member that only another branch than the valid one names stays, with any value. Close the
branches if that matters. \`npm run generate\` lists the objects that leave members out.
`;

/** The text of docs/contract.md, with a table for each kind of object. */
function vocabularyPage(): string {
  const tables = Object.entries(VOCABULARY).flatMap(([kind, rows]) => {
    const isPlain = ({ is, how }: VocabularyRow) => is === 'shown' && how === '';
    const [plain, others] = [true, false].map((each) =>
      Object.entries(rows).filter(([, row]) => isPlain(row) === each),
    );
    const lines = (others ?? []).map(([name, row]) => `| \`${name}\` | ${row.is} | ${cell(row)} |`);
    const names = (plain ?? []).map(([name]) => `\`${name}\``).join(', ');
    if (names !== '') lines.push(`| ${names} | shown | |`);
    return lines.length === 0
      ? []
      : [`\n## ${kind} Object\n\n| field | effect | what it means |\n|---|---|---|\n${lines.join('\n')}\n`];
  });
  return HEADER + tables.join('');
}

function cell({ how }: VocabularyRow): string {
  return how.replaceAll('|', '\\|');
}

// `vocabulary-page.ts [--check]` writes docs/contract.md, or says that it is out of date.
const file = new URL('docs/contract.md', import.meta.url);
const text = vocabularyPage();
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('packages/contract/docs/contract.md is out of date: run `npm run generate`');
  process.exitCode = 1;
}
