import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { ESLint } from 'eslint';
import type ts from 'typescript';
import type { Outcome } from './check.ts';
import { Compiler } from './compiler.ts';

/** Files with the results of the last run. */
const { buildInfo, memory } = workerData as { readonly buildInfo: string; readonly memory: string };
const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The texts that affect the lint of every file. */
const RULES = ['eslint.config.js', 'tsconfig.json', 'node_modules/.package-lock.json', 'scripts/types-and-lint.ts'].map(
  (file) => readFileSync(file, 'utf8'),
);

/** Runs ESLint with the compiler's types, on the files that have changed or failed since the last run. */
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

/** Digests each source file with the rules and all files that it imports, directly or indirectly. */
function versionsOf(builder: ts.BuilderProgram): Map<string, string> {
  const files = builder.getSourceFiles();
  const digests = new Map(files.map(({ fileName, text }) => [fileName, digest(text)]));
  const own = files.filter(({ fileName }) => !fileName.includes('/node_modules/'));
  // Ambient declarations affect other files without an import.
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

// The lint reuses the compiler's program, which takes most of the time.
const { builder, errors } = new Compiler('tsconfig.json', buildInfo).compile();
parentPort?.postMessage([{ failed: errors !== '', output: errors }, await lint(builder)]);
