import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { generate } from 'trellis-contract/tools';
import { ContractError } from 'trellis-contract/ground';

/** Checks the contract, the generated files and the types of a service. @returns the exit code */
export async function check(folder: string): Promise<number> {
  const contract = await generate(folder, true).then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof ContractError)) throw error;
      console.error(error.message);
      return false;
    },
  );
  // The types are checked even if the contract has failed: a developer mends both.
  const types = await compile(folder);
  for (const [name, passed] of Object.entries({ contract, types }))
    console.log(`${name}: ${passed ? 'passed' : 'FAILED'}`);
  const stubs = countStubs(folder);
  if (stubs > 0) console.log(`stubs: ${stubs} to write`);
  return contract && types ? 0 : 1;
}

/** Reads the files, and does not run them, as they may not even compile. */
function countStubs(folder: string): number {
  const files = globSync('{*,{service,src}/**/*}.ts', { cwd: folder });
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'));
  return texts
    .filter((text) => text.includes("from 'trellis'"))
    .flatMap((text) => text.match(/[=:(,]\s*stub[<(]/g) ?? []).length;
}

/** Runs the compiler of the service, which prints its faults. @param project a tsconfig.json or its folder */
export async function compile(project: string, ...options: readonly string[]): Promise<boolean> {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const child = spawn(process.execPath, [tsc, '--project', project, ...options], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}
