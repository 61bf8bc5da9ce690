import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, linesOf } from './outline.ts';

// `extend.ts FOLDER PAGE` adds the blocks of a page to a copy of the project: YAML to openapi.yaml, TypeScript to the file
// that the first line of the block names.

const [folder = '.', page = 'README.md'] = process.argv.slice(2);

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

const text = readFileSync(join(folder, page), 'utf8');
for (const [, language, block = ''] of text.matchAll(/^```(yaml|ts)\n(.*?)\n```$/gms)) {
  const [first = '', ...others] = block.split('\n');
  const [name, own] = language === 'yaml' ? ['openapi.yaml', [first, ...others]] : [first.replace('// ', ''), others];
  const file = join(folder, name);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  writeFileSync(file, `${merge(lines, own).join('\n')}\n`);
}
