import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { ESLint } from 'eslint';
import type ts from 'typescript';
import type { Outcome } from './check.ts';
import { Compiler } from './compiler.ts';

/** Where it is written down what the last run found. */
const { buildInfo, memory } = workerData as { readonly buildInfo: string; readonly memory: string };
const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What decides what ESLint says of a file, beside its text and the types that it sees. */
const RULES = ['eslint.config.js', 'tsconfig.json', 'node_modules/.package-lock.json', 'scripts/types-and-lint.ts'].map(
  (file) => readFileSync(file, 'utf8'),
);

/** ESLint, with the types that the compiler has found. It passes over each file that was in order, if all is the same. */
async function lint(builder: ts.BuilderProgram): Promise<Outcome> {
  const versions = versionsOf(builder);
  const known = new Set(lastRun());
  const inOrder = [...versions].filter(([, each]) => known.has(each)).map(([name]) => relative(ROOT, name));
  const eslint = new ESLint({
    ignorePatterns: inOrder,
    overrideConfig: {
      files: ['**/*.ts'],
      languageOptions: { parserOptions: { projectService: false, programs: [builder.getProgram()] } },
    },
  });
  const results = await eslint.lintFiles('.');
  for (const { filePath, messages } of results) if (messages.length > 0) versions.delete(filePath);
  writeFileSync(memory, JSON.stringify([...versions.values()]));
  const formatter = await eslint.loadFormatter('stylish');
  return { failed: results.some(({ errorCount }) => errorCount > 0), output: await formatter.format(results) };
}

/** Of each file of ours a text that is another one when the rules, the file, or one that it imports by any way changes. */
function versionsOf(builder: ts.BuilderProgram): Map<string, string> {
  const files = builder.getSourceFiles();
  const digests = new Map(files.map(({ fileName, text }) => [fileName, digest(text)]));
  const own = files.filter(({ fileName }) => !fileName.includes('/node_modules/'));
  // What these say is seen without an import.
  const ambient = own.filter(({ isDeclarationFile, text }) => isDeclarationFile || /^declare /m.test(text));
  const all = [...RULES, ...ambient.map(({ text }) => text)];
  return new Map(
    own.map((file) => {
      const imported = builder.getAllDependencies(file).map((name) => digests.get(name));
      return [file.fileName, digest(JSON.stringify([relative(ROOT, file.fileName), file.text, all, imported]))];
    }),
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function lastRun(): readonly string[] {
  try {
    return JSON.parse(readFileSync(memory, 'utf8')) as readonly string[];
  } catch {
    return [];
  }
}

// A program of the compiler is most of what types and lint cost: they share it.
const { builder, errors } = new Compiler('tsconfig.json', buildInfo).compile();
parentPort?.postMessage([{ failed: errors !== '', output: errors }, await lint(builder)]);
