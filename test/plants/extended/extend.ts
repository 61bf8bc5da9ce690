import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, linesOf } from './outline.ts';

// `extend.ts FOLDER [PAGE…]` adds the blocks of pages (by default those of the recipes) to a copy of the project: YAML to
// openapi.yaml, TypeScript to the file that the first line of the block names.

/** A line of a later recipe that stands for the failures of the first recipe. */
const AS_IN_GET_PLANT = '# and 400, 401, 403, 429 and default, as in getPlant';

const [folder = '.', ...named] = process.argv.slice(2);

const IMPORT = /^import (?:type )?\{ (.*) \} from '(.*)';$/;

/** Adds the names of an import to the one from the same module. */
function joined(one: string, other: string): string {
  const names = [one, other].flatMap((each) => IMPORT.exec(each)?.[1]?.split(', ') ?? []);
  return one.replace(/\{.*\}/, () => `{ ${[...new Set(names)].sort().join(', ')} }`);
}

/** Adds to a file the lines that only the block has: at the end of the section that both have, or after the imports. */
function merge(file: readonly string[], block: readonly string[]): string[] {
  const entries = entriesOf(file);
  let isNew = file.length === 0;
  for (const { head, body } of entriesOf(block)) {
    // Skips a closing bracket of what the file already has.
    if (/^\s*[}\])]/.test(head)) {
      if (isNew) entries.push({ head, body });
      continue;
    }
    const from = IMPORT.exec(head)?.[2];
    const same = entries.findIndex((entry) => from !== undefined && IMPORT.exec(entry.head)?.[2] === from);
    isNew = same < 0 && !entries.some((entry) => entry.head === head);
    if (same >= 0) {
      const { head: one = '', body: below = [] } = entries[same] ?? {};
      entries[same] = { head: joined(one, head), body: below };
      continue;
    }
    const there = entries.findIndex((entry) => entry.head === head);
    const last = entries.findLastIndex((entry) => head.startsWith('import ') && entry.head.startsWith('import '));
    const at = there >= 0 ? there : last >= 0 ? last + 1 : entries.length;
    entries.splice(at, there >= 0 ? 1 : 0, { head, body: merge(entries[there]?.body ?? [], body) });
  }
  return linesOf(entries);
}

const names = named.length > 0 ? named : ['docs/extending.md', 'docs/tables.md', 'docs/transactions.md'];
const pages = names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
const [failures = ''] = /'400'.*?default.*?$/ms.exec(pages) ?? [];
for (const [, language, text = ''] of pages
  .replaceAll(AS_IN_GET_PLANT, failures)
  .matchAll(/^```(yaml|ts)\n(.*?)\n```$/gms)) {
  const [first = '', ...others] = text.split('\n');
  const [name, block] = language === 'yaml' ? ['openapi.yaml', [first, ...others]] : [first.replace('// ', ''), others];
  const file = join(folder, name);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  writeFileSync(file, `${merge(lines, block).join('\n')}\n`);
}
