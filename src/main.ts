import packageJson from '../package.json' with { type: 'json' };
import { Command, CommanderError } from 'commander';
import type { ImportOptions } from './commands/import.ts';
import { unwritable } from './commands/print.ts';
import { exitCodeOf } from './commands/signals.ts';
import { type Config, readConfig, SETTINGS } from './config.ts';
import { type Chosen, findSettings } from './environment.ts';
import { ExplainedError, Interrupted } from './explained-error.ts';
import { RESOURCE, SERVICE } from './resource.ts';

const program = new Command(SERVICE)
  .description(`Keeps ${RESOURCE.many}. Settings come from the environment and from .env: config lists them.`)
  .version(packageJson.version, '--version', 'say which version this is')
  .option('--store <url>', 'the store, in the place of DATABASE_URL')
  .option('--env-file <file>', 'a file with settings, in the place of .env')
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError('(--help says more)')
  .exitOverride();

const find = () => findSettings(program.opts<Chosen>(), Object.keys(SETTINGS));
const read = (): Config => readConfig(find().texts);

// Each loads what it runs when it runs: the whole service is not needed to ask for its health.

program
  .command('serve')
  .description('run the service until SIGTERM, SIGINT or SIGHUP')
  .action(async () => {
    const found = find();
    const strangers = found.strangers();
    const { serve } = await import('./commands/serve.ts');
    await serve(readConfig(found.texts, strangers), strangers);
  });
program
  .command('health')
  .description('say whether the service that has these settings answers')
  .action(async () => (await import('./commands/health.ts')).checkHealth(find().texts));
program
  .command('config')
  .description('list the settings, where each is from, and what is wrong with them')
  .option('--json', 'an object a line')
  .action(async (options: { json?: true }) => (await import('./commands/config.ts')).showConfig(find(), options));

const token = program.command('token').description('manage the access tokens of clients');
token
  .command('create <name>')
  .description('make a token and print it, this once, on stdout')
  .option('--expires <lifetime>', 'how long it is valid, such as 90d, 12h, 30m (default: for ever)')
  .option('--scope <scope>', 'a scope that the contract asks for, once for each (default: none)', append)
  .action(async (name: string, options: { expires?: string; scope?: readonly string[] }) =>
    (await import('./commands/token.ts')).createToken(read(), name, options),
  );
token
  .command('list')
  .description('list the tokens, but not their text')
  .option('--json', 'an object a line')
  .action(async (options: { json?: true }) => (await import('./commands/token.ts')).listTokens(read(), options));
token
  .command('revoke <name>')
  .description('make a token invalid, within a second')
  .action(async (name: string) => (await import('./commands/token.ts')).revokeToken(read(), name));

program
  .command('import <file>')
  .description(`store the ${RESOURCE.many} of a file, or of stdin (-), each checked as if it had been sent`)
  .option('--format <format>', 'ndjson or csv: needed where the name ends with neither, but for stdin, which is ndjson')
  .option('--rejects <file>', 'where what is not stored is written, with the reasons (default: FILE.rejects.ndjson)')
  .option('--dry-run', 'check everything and store nothing')
  .action(async (file: string, options: ImportOptions) =>
    (await import('./commands/import.ts')).importItems(read(), file, options),
  );
program
  .command('export [file]')
  .description(`write every ${RESOURCE.one} to a new file, or to stdout`)
  .option(
    '--format <format>',
    'ndjson or csv: needed where the name ends with neither, but for stdout, which is ndjson',
  )
  .action(async (file: string | undefined, options: { format?: string }) =>
    (await import('./commands/export.ts')).exportItems(read(), file, options),
  );
program
  .command('backup <file>')
  .description('copy the store into a new file, and check it')
  .action(async (file: string) => (await import('./commands/backup.ts')).backUp(read(), file));
program
  .command('restore <file>')
  .description('make the store what a backup has, and check it')
  .option('--force', `also if the store has ${RESOURCE.many}, which are lost then`)
  .action(async (file: string, options: { force?: boolean }) =>
    (await import('./commands/backup.ts')).restore(read(), file, options),
  );
program
  .command('remove <id>')
  .description(`remove ${RESOURCE.withArticle} for good`)
  .action(async (id: string) => (await import('./commands/remove.ts')).remove(read(), id));
program
  .command('migrate')
  .description('bring the schema of the store up to date')
  .action(async () => (await import('./commands/migrate.ts')).migrate(read()));

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

/**
 * Says on stderr what went wrong. Returns the exit code: 1 for a failure, 2 for a command that was not understood, and
 * what shells have for a signal.
 */
function report(error: unknown): number {
  // Commander has said it; it throws for --help as well, with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  // The reader of stdout, `head` for one, has seen enough.
  if (Error.isError(error) && 'code' in error && error.code === 'EPIPE') return 1;
  // Any other error is a fault of the program, and shows where.
  console.error(error instanceof ExplainedError ? `${SERVICE}: ${error.message}` : error);
  return error instanceof Interrupted ? exitCodeOf(error.signal) : 1;
}
