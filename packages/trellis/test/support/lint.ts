import { join } from 'node:path';
import { ESLint } from 'eslint';
import { ROOT } from './service.ts';

const eslint = new ESLint({
  cwd: ROOT,
  // The rules under test need no types, which take seconds to load.
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
  ruleFilter: ({ ruleId }) => ruleId.startsWith('no-restricted-'),
});

/** @returns the rules about imports, syntax and properties that this text would break in this file of the project */
export async function brokenRules(file: string, text: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(text, { filePath: join(ROOT, file) });
  return result?.messages.map(({ ruleId }) => ruleId) ?? [];
}
