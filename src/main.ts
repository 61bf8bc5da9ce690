import { Command, CommanderError } from 'commander';
import type { ImportOptions } from './framework/commands/import.ts';
import { unwritable } from './framework/commands/print.ts';
import { type Config, readConfig, SETTINGS } from './framework/config.ts';
import { type Chosen, findSettings } from './framework/environment.ts';
import { ExplainedError } from './framework/explained-error.ts';
import { RESOURCE, SERVICE } from './framework/resource.ts';

const VERSION_ASKED = 'version';

const program = new Command(SERVICE)
  .description(`Store ${RESOURCE.many}. Settings come from the environment and .env; "config" lists them.`)
  .helpOption('-h, --help', 'Print help')
  .helpCommand('help [command]', 'Print help for a command')
  .option('--version', 'Print the versions of the program and of its schema')
  .on('option:version', () => {
    throw new CommanderError(0, VERSION_ASKED, '');
  })
  .option('--store <url>', 'Use this store instead of DATABASE_URL; "ps" shows a password in it to all users')
  .option(
    '--env-file <file>',
    'Read settings from this file instead of .env; repeat for several, the last wins; -FILE may be missing',
    append,
  )
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError('(use --help for more information)')
  .exitOverride();

const find = () => findSettings(program.opts<Chosen>(), Object.keys(SETTINGS));
const read = (): Config => readConfig(find().texts);

// Each action imports its own command, so that `health`, for example, does not load the whole service.

program
  .command('serve')
  .description('Run the service until SIGTERM or SIGINT')
  .action(async () => {
    const found = find();
    const { doubts } = found;
    const { serve } = await import('./framework/commands/serve.ts');
    await serve(readConfig(found.texts, doubts), doubts);
  });
program
  .command('health')
  .description('Check that the service with these settings answers')
  .option('--timeout <time>', 'Wait this long for the answer', '2s')
  .action(async (options: { timeout: string }) =>
    (await import('./framework/commands/health.ts')).checkHealth(find().texts, options),
  );
program
  .command('config')
  .description('List all settings with their values, origins and faults')
  .option('--json', 'Print one JSON object per line')
  .action(async (options: { json?: true }) => (await import('./framework/commands/config.ts')).showConfig(find(), options));

const token = program.command('token').description('Manage the access tokens of clients');
token
  .command('create <name>')
  .description('Create a token and print it once, on stdout')
  .option('--expires <lifetime>', 'Expire after this time, such as 90d, 12h or 30m (default: never)')
  .option('--scope <scope>', 'Grant a scope of the contract; repeat for several (default: none)', append)
  .action(async (name: string, options: { expires?: string; scope?: readonly string[] }) =>
    (await import('./framework/commands/token.ts')).createToken(read(), name, options),
  );
token
  .command('list')
  .description('List all tokens, without their texts')
  .option('--json', 'Print one JSON object per line')
  .action(async (options: { json?: true }) => (await import('./framework/commands/token.ts')).listTokens(read(), options));
token
  .command('revoke <name>')
  .description('Make a token invalid within a second')
  .action(async (name: string) => (await import('./framework/commands/token.ts')).revokeToken(read(), name));

program
  .command('import <file>')
  .description(`Store the ${RESOURCE.many} of a file, or of stdin (-), after validating them`)
  .option('--format <format>', 'ndjson or csv (default: the extension of the file; ndjson for stdin)')
  .option('--rejects <file>', 'Write rejected records and the reasons to this file (default: FILE.rejects.ndjson)')
  .option('--dry-run', 'Validate all records and store none')
  .action(async (file: string, options: ImportOptions) =>
    (await import('./framework/commands/import.ts')).importItems(read(), file, options),
  );
program
  .command('export [file]')
  .description(`Write all ${RESOURCE.many} to a new file, or to stdout`)
  .option('--format <format>', 'ndjson or csv (default: the extension of the file; ndjson for stdout)')
  .action(async (file: string | undefined, options: { format?: string }) =>
    (await import('./framework/commands/export.ts')).exportItems(read(), file, options),
  );
program
  .command('backup <file>')
  .description('Copy the store to a new file and check the copy')
  .action(async (file: string) => (await import('./framework/commands/backup.ts')).backUp(read(), file));
program
  .command('restore <file>')
  .description('Replace the store with a backup and check it')
  .option('--force', `Delete the ${RESOURCE.many} that the store has`)
  .action(async (file: string, options: { force?: boolean }) =>
    (await import('./framework/commands/backup.ts')).restore(read(), file, options),
  );
program
  .command('remove <id>')
  .description(`Delete ${RESOURCE.withArticle} for good`)
  .action(async (id: string) => (await import('./framework/commands/remove.ts')).remove(read(), id));
program
  .command('migrate')
  .description('Update the schema of the store')
  .action(async () => (await import('./framework/commands/migrate.ts')).migrate(read()));

// Commander writes help and version to stdout itself, so a failure arrives as an event.
process.stdout.on('error', (error) => {
  process.exitCode = report(unwritable(error));
});

try {
  await program.parseAsync().catch(async (error: unknown) => {
    if (!(error instanceof CommanderError && error.code === VERSION_ASKED)) throw error;
    await (await import('./framework/commands/version.ts')).printVersion();
  });
} catch (error) {
  process.exitCode = report(error);
}

function append(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}

/**
 * Prints the error to stderr.
 *
 * @returns the exit code: that of the error, 1 for a bug, and 2 for a wrong command line
 */
function report(error: unknown): number {
  // Commander has printed the message. It also throws for --help, with code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  // The reader of stdout, such as `head`, has closed the pipe.
  if (Error.isError(error) && 'code' in error && error.code === 'EPIPE') return 1;
  // Any other error is a bug, so its stack is printed too.
  const isExplained = error instanceof ExplainedError;
  console.error(isExplained ? `${SERVICE}: ${error.message}` : error);
  return isExplained ? error.exitCode : 1;
}
