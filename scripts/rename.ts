import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { ExplainedError } from '../src/explained-error.ts';
import { RESOURCE, SERVICE } from '../src/resource.ts';

/** Files that keep their words: the authors' name, and pictures. */
const KEPT = /^LICENSE$|\.png$/;
/** It has the names of other people's packages, which are theirs. */
const LOCK = 'package-lock.json';

type Replace = (text: string) => string;

/** Puts other words in the place of those of RESOURCE, with the same capitals, and the article that they ask for. */
function replacer(one: string, many: string): Replace {
  const spellings = (word: string) => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()];
  const from = [RESOURCE.one, RESOURCE.many].flatMap(spellings);
  const to = [one, many].flatMap(spellings);
  // Not a part of a longer word, but for that of the tokens' prefix. A letter behind a backslash is none: \n.
  const begin = '(?<!(?<!\\\\)[a-z](?=[a-z])|[A-Z](?=[A-Z]{2}))';
  const end = '(?!(?!store)[a-z]|(?<=[A-Z]{2})[A-Z])';
  const pattern = new RegExp(`(?:\\b([Aa])n? )?${begin}(${from.join('|')})${end}`, 'g');
  const article = (letter = '', word: string) => letter && `${letter}${/^[aeio]/i.test(word) ? 'n' : ''} `;
  return (text) =>
    text.replaceAll(pattern, (_all, letter: string | undefined, word: string) => {
      const other = to[from.indexOf(word)] ?? word;
      return article(letter, other) + other;
    });
}

/** The names that a file would have for two things: identifiers, and texts, some of which are names of members. */
function collisions(file: string, text: string, replace: Replace): string[] {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isStringLiteralLike(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  if (file.endsWith('.ts')) visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return [...names].filter((name) => replace(name) !== name && names.has(replace(name))).map(replace);
}

/** Gives what the service keeps another name, in every file that git knows, and in the names of files. */
function rename(one: string, many: string): void {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true);
  for (const word of [one, many]) {
    scanner.setText(word);
    if (!/^[a-z]+$/.test(word) || scanner.scan() !== ts.SyntaxKind.Identifier)
      throw new ExplainedError(`${JSON.stringify(word)} must be a word of small letters, and none of TypeScript's own`);
  }
  if (one === many) throw new ExplainedError('one and many must be two words, as the code needs both: use --plural');
  if (run('git', 'status', '--porcelain') !== '')
    throw new ExplainedError('there are changes that are not committed: commit them, so that this can be undone');
  const files = run('git', 'ls-files', '-z').split('\0').slice(0, -1);
  const texts = new Map(files.filter((file) => !KEPT.test(file)).map((file) => [file, readFileSync(file, 'utf8')]));
  const replace = replacer(one, many);
  for (const [file, text] of texts) {
    const taken = collisions(file, text, replace);
    if (replace(file) !== file && files.includes(replace(file))) taken.push(replace(file));
    if (taken.length > 0) throw new ExplainedError(`choose another word: ${file} meets ${taken.join(', ')}`);
  }

  for (const [file, text] of texts) {
    writeFileSync(file, file === LOCK ? text.replaceAll(SERVICE, replace) : replace(text));
    if (replace(file) !== file) run('git', 'mv', file, replace(file));
  }
  run(process.execPath, 'node_modules/prettier/bin/prettier.cjs', '--write', '--log-level', 'warn', '.');
  run(process.execPath, 'scripts/generate.ts');
  console.log(`What was ${RESOURCE.withArticle} is ${replace(RESOURCE.withArticle)} now, in name.
docs/another-domain.md says what is left to do; \`git reset --hard\` undoes this.`);
}

function run(...[program = '', ...args]: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

try {
  process.chdir(fileURLToPath(new URL('..', import.meta.url)));
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { plural: { type: 'string' } } });
  const [one = ''] = positionals;
  rename(one, values.plural ?? `${one}s`);
} catch (error) {
  console.error(error instanceof ExplainedError ? error.message : error);
  process.exitCode = 1;
}
