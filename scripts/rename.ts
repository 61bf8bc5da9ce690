import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { ExplainedError } from '../src/framework/explained-error.ts';
import { RESOURCE, SERVICE } from '../src/framework/resource.ts';

/** LICENSE names the authors; pictures and released stores are binary. */
const UNCHANGED = /^LICENSE$|\.png$|^released\/stores\//;
/** In this file only SERVICE is replaced: the rest are names of packages. */
const LOCK = 'package-lock.json';

type Replace = (text: string) => string;

/** Replaces the words of RESOURCE, with the same capitals and the right article. */
function replacer(one: string, many: string): Replace {
  const spellings = (word: string) => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()];
  const from = [RESOURCE.one, RESOURCE.many].flatMap(spellings);
  const to = [one, many].flatMap(spellings);
  // Only whole words, and the prefix of tokens (`plantstore_`). The `n` of `\n` is no letter of a word.
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

/**
 * Finds the new names that a file already contains, as identifiers or as string literals, because some literals name
 * members.
 */
function collisions(file: string, text: string, replace: Replace): string[] {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isStringLiteralLike(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  if (file.endsWith('.ts')) visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return [...names].filter((name) => replace(name) !== name && names.has(replace(name))).map(replace);
}

/** Renames the resource in all files that git tracks, and in their names. */
function rename(one: string, many: string): void {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true);
  for (const word of [one, many]) {
    scanner.setText(word);
    if (!/^[a-z]+$/.test(word) || scanner.scan() !== ts.SyntaxKind.Identifier)
      throw new ExplainedError(`${JSON.stringify(word)} must be one lower-case word, and not a keyword of TypeScript`);
  }
  if (one === many) throw new ExplainedError('singular and plural must differ: set the plural with --plural');
  if (run('git', 'status', '--porcelain') !== '')
    throw new ExplainedError('git has uncommitted changes: commit them first, so that you can undo the renaming');
  const files = run('git', 'ls-files', '-z').split('\0').slice(0, -1);
  const texts = new Map(
    files.filter((file) => !UNCHANGED.test(file)).map((file) => [file, readFileSync(file, 'utf8')]),
  );
  const replace = replacer(one, many);
  for (const [file, text] of texts) {
    const taken = collisions(file, text, replace);
    if (replace(file) !== file && files.includes(replace(file))) taken.push(replace(file));
    if (taken.length > 0) throw new ExplainedError(`choose another word: ${file} already uses ${taken.join(', ')}`);
  }

  for (const [file, text] of texts) {
    writeFileSync(file, file === LOCK ? text.replaceAll(SERVICE, replace) : replace(text));
    if (replace(file) !== file) run('git', 'mv', file, replace(file));
  }
  run(process.execPath, 'node_modules/prettier/bin/prettier.cjs', '--write', '--log-level', 'warn', '.');
  run(process.execPath, 'scripts/generate.ts');
  console.log(`Renamed ${RESOURCE.one} to ${replace(RESOURCE.one)}.
docs/another-domain.md lists the next steps; \`git reset --hard\` undoes the renaming.`);
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
