import { ExplainedError } from 'trellis-contract/ground';
import { Command, CommanderError } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { AdoptOptions } from 'trellis-contract/tools';
import { wrongPackage } from './peers.ts';

/**
 * Runs a command of developers, `trellis COMMAND`, on the service in the working folder or in the folder that is named.
 *
 * @param args the name of the command, and what follows
 * @returns the exit code: 0, 1 after a failure, 2 for a wrong command line or a document that cannot be adopted
 */
export async function main(args: readonly string[]): Promise<number> {
  let code = 0;
  // Tests call this often.
  process.stdout.off('error', unlessClosed).on('error', unlessClosed);
  const program = new Command('trellis')
    .description('Work on a contract-first service: the folder of an openapi.yaml.')
    .version(packageJson.version)
    .showHelpAfterError('(use --help for more information)')
    .exitOverride();

  program
    .command('init [folder]')
    .description('Begin a service in a folder, around its openapi.yaml if it has one')
    .option('--contract <file>', 'Copy this contract, and write a stub for each of its operations')
    .action(async (folder: string | undefined, { contract }: { contract?: string }) => {
      await (await import('./init.ts')).init(folder ?? '.', contract);
    });
  program
    .command('adopt <file>')
    .description('Write openapi.yaml from a document of OpenAPI 3.0 or 3.1 that was written elsewhere')
    .option('--decisions <file>', 'Answers to what only the author can decide; written if it is not there')
    .option('--output <file>', 'Write this file instead of openapi.yaml')
    .option('--again', 'Write the file anew, also if it was edited')
    .action(async (file: string, options: AdoptOptions) => {
      const outcome = await (await import('trellis-contract/tools')).adopt(file, options);
      process.stdout.write(outcome.stdout);
      ({ code } = outcome);
    });
  program
    .command('generate [folders...]')
    .description('Check contracts, and write the types of their services')
    .option('--check', 'Write nothing: lint the contract, and fail if a file is out of date')
    .action(async (folders: readonly string[], { check }: { check?: true }) => {
      const { generate } = await import('trellis-contract/tools');
      for (const folder of here(folders)) await generate(folder, check);
    });
  program
    .command('check [folder]')
    .description('Check the contract, the generated files and the types of a service')
    .action(async (folder?: string) => {
      code = await (await import('./check.ts')).check(folder ?? '.');
    });
  program
    .command('dev [folder]')
    .description('Run a service, and generate, check and restart it whenever a file is saved')
    .action(async (folder?: string) => {
      await (await import('./dev.ts')).dev(folder ?? '.');
    });

  const contract = program.command('contract').description('Compare the contract with its releases');
  for (const [name, description] of [
    ['check', 'Name the changes for clients of the last released contract'],
    ['release', 'Copy the contract to the released ones, if its version is high enough for its changes'],
  ] as const)
    contract
      .command(`${name} [folder]`)
      .description(description)
      .action(async (folder?: string) => {
        const { pathToFileURL } = await import('node:url');
        const outcome = await (
          await import('trellis-contract/tools')
        ).contract(name, pathToFileURL(`${folder ?? '.'}/`));
        process.stdout.write(outcome.stdout);
        process.stderr.write(outcome.stderr);
        ({ code } = outcome);
      });

  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed the message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const explained = error instanceof ExplainedError ? error.message : wrongPackage(error);
    console.error(explained ?? error);
    return 1;
  }
}

/** A reader such as `head` has closed the pipe: the work goes on. */
function unlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

const here = (folders: readonly string[]) => (folders.length === 0 ? ['.'] : folders);
