import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { generateTypes } from '../../scripts/types.ts';

/** Holds generated.ts of a folder to the contract there, and writes it anew if it is not what is generated. */
export async function expectGenerated(folder: string, contract: string): Promise<void> {
  const file = join(folder, 'generated.ts');
  const types = await generateTypes(readFileSync(join(folder, contract), 'utf8'));
  const committed = readFileSync(file, 'utf8');
  const generated = `// Generated from ${contract} by a test, which writes it anew when it fails. Do not edit.\n\n${types}`;
  if (generated !== committed) writeFileSync(file, generated);
  expect(committed).toBe(generated);
}
