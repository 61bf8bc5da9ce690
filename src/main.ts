import packageJson from '../package.json' with { type: 'json' };
import { Command, CommanderError } from 'commander';
import { backUp, restore } from './commands/backup.ts';
import { exportItems } from './commands/export.ts';
import { type ImportOptions, importItems } from './commands/import.ts';
import { migrate } from './commands/migrate.ts';
import { unwritable } from './commands/print.ts';
import { remove } from './commands/remove.ts';
import { serve } from './commands/serve.ts';
import { createToken, listTokens, revokeToken } from './commands/token.ts';
import { ExplainedError } from './explained-error.ts';
import { RESOURCE, SERVICE } from './resource.ts';

const program = new Command(SERVICE)
  .description(`Keeps ${RESOURCE.many}. Settings come from the environment and from .env; see the README.`)
  .version(packageJson.version, '--version', 'say which version this is')
  .showHelpAfterError('(--help says more)')
  .exitOverride();

program.command('serve').description('run the service until SIGTERM, SIGINT or SIGHUP').action(serve);

const token = program.command('token').description('manage the access tokens of clients');
token
  .command('create <name>')
  .description('make a token and print it, this once, on stdout')
  .option('--expires <lifetime>', 'how long it is valid, such as 90d, 12h, 30m (default: for ever)')
  .option('--scope <scope>', 'a scope that the contract asks for, once for each (default: none)', append)
  .action(createToken);
token.command('list').description('list the tokens, but not their text').action(listTokens);
token.command('revoke <name>').description('make a token invalid, within a second').action(revokeToken);

program
  .command('import <file>')
  .description(`store the ${RESOURCE.many} of a file, or of stdin (-), each checked as if it had been sent`)
  .option('--format <format>', "ndjson or csv (default: by the file's name, else ndjson)")
  .option('--rejects <file>', 'where what is not stored is written, with the reasons (default: FILE.rejects.ndjson)')
  .option('--dry-run', 'check everything and store nothing')
  .action((file: string, options: ImportOptions) => importItems(file, options));
program
  .command('export [file]')
  .description(`write every ${RESOURCE.one} to a new file, or to stdout`)
  .option('--format <format>', "ndjson or csv (default: by the file's name, else ndjson)")
  .action(exportItems);
program.command('backup <file>').description('copy the store into a new file, and check it').action(backUp);
program
  .command('restore <file>')
  .description('make the store what a backup has, and check it')
  .option('--force', `also if the store has ${RESOURCE.many}, which are lost then`)
  .action(restore);
program.command('remove <id>').description(`remove ${RESOURCE.withArticle} for good`).action(remove);
program.command('migrate').description('bring the schema of the store up to date').action(migrate);

// Commander writes by itself what --help and --version say.
process.stdout.on('error', (error) => {
  process.exitCode = report(unwritable(error));
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function append(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}

/** Says on stderr what went wrong. Returns the exit code: 1 for a failure, 2 for a command that was not understood. */
function report(error: unknown): number {
  // Commander has said it; it throws for --help as well, with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  // The reader of stdout, `head` for one, has seen enough.
  if (Error.isError(error) && 'code' in error && error.code === 'EPIPE') return 1;
  // Any other error is a fault of the program, and shows where.
  console.error(error instanceof ExplainedError ? `${SERVICE}: ${error.message}` : error);
  return 1;
}
