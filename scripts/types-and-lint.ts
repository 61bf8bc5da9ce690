import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { ESLint } from 'eslint';
import type { Outcome } from './check.ts';
import { type Compilation, Compiler } from './compiler.ts';

/** Where it is written down what the last run found. */
const { buildInfo, memory } = workerData as { readonly buildInfo: string; readonly memory: string };
const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What decides about a file beside its text and the types that it sees: the compiler knows about those. */
const RULES = ['eslint.config.js', 'tsconfig.json', 'node_modules/.package-lock.json', 'scripts/types-and-lint.ts'];

/** ESLint, with the types that the compiler has found. It passes over files which the last run found in order. */
async function lint({ program, checked }: Compilation): Promise<Outcome> {
  const rules = RULES.reduce((hash, file) => hash.update(readFileSync(file)), createHash('sha256')).digest('hex');
  const last = lastRun();
  const inOrder = program
    .getSourceFiles()
    .map(({ fileName }) => fileName)
    .filter((name) => last.rules === rules && !checked.has(name) && !last.faulty.includes(name));
  const eslint = new ESLint({
    ignorePatterns: inOrder.filter((name) => name.startsWith(ROOT)).map((name) => name.slice(ROOT.length)),
    overrideConfig: {
      files: ['**/*.ts'],
      languageOptions: { parserOptions: { projectService: false, programs: [program] } },
    },
  });
  const results = await eslint.lintFiles('.');
  const faulty = results.filter(({ messages }) => messages.length > 0).map(({ filePath }) => filePath);
  mkdirSync(dirname(memory), { recursive: true });
  writeFileSync(memory, JSON.stringify({ rules, faulty }));
  const formatter = await eslint.loadFormatter('stylish');
  return { failed: results.some(({ errorCount }) => errorCount > 0), output: await formatter.format(results) };
}

function lastRun(): { readonly rules: string; readonly faulty: readonly string[] } {
  try {
    return JSON.parse(readFileSync(memory, 'utf8')) as ReturnType<typeof lastRun>;
  } catch {
    return { rules: '', faulty: [] };
  }
}

// A program of the compiler is most of what types and lint cost: they share it.
const compilation = new Compiler('tsconfig.json', buildInfo).compile();
const linted = await lint(compilation);
// Not before the linter has written down what it found: the next run would pass over files that it did not see.
compilation.save();
parentPort?.postMessage([{ failed: compilation.errors !== '', output: compilation.errors }, linted]);
