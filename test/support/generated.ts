import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { generateTypes } from '../../scripts/types.ts';

/** Expects generated.ts in a folder to match the contract there, and rewrites the file if it does not. */
export async function expectGenerated(folder: string, contract: string): Promise<void> {
  const file = join(folder, 'generated.ts');
  const types = await generateTypes(readFileSync(join(folder, contract), 'utf8'));
  const committed = readFileSync(file, 'utf8');
  const generated = `// Generated from ${contract} by a test, which writes it anew when it fails. Do not edit.\n\n${types}`;
  if (generated !== committed) writeFileSync(file, generated);
  expect(committed).toBe(generated);
}
