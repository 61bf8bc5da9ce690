import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import type { ImportOptions } from './import.ts';
import type { Io, Job } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import { readConfig, settingsOf } from '../config.ts';
import { type Chosen, findSettings } from '../environment.ts';
import { ExplainedError } from 'trellis-contract/ground';
import type { AnyService } from '../service.ts';

const VERSION_ASKED = 'version';
const TABLE = ['--table <name>', 'The table, if the service has several'] as const;

/** Runs a command of a service. @returns the exit code */
export async function main(service: AnyService, args: readonly string[], io: Io): Promise<number> {
  let help = '';
  const writeOut = (text: string) => {
    help += text;
  };
  try {
    await commandsOf(service, io, writeOut)
      .parseAsync(args, { from: 'user' })
      .catch(async (error: unknown) => {
        if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
        if (error.code === VERSION_ASKED) await (await import('./version.ts')).printVersion(service, io);
        else await print(io, help);
      });
    return 0;
  } catch (error) {
    return report(service.name, error, io);
  }
}

function commandsOf(service: AnyService, io: Io, writeOut: (text: string) => void): Command {
  const { name, tables } = service;
  const program = new Command(name)
    .description(
      `Store ${new Intl.ListFormat('en-GB').format(Object.keys(tables))}. Settings come from the environment and .env; "config" lists them.`,
    )
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
    .configureOutput({
      writeOut,
      getOutHelpWidth: () => io.stdout.columns || 80,
      writeErr: (text) => io.stderr.write(text),
      getErrHelpWidth: () => io.stderr.columns || 80,
    })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(use --help for more information)')
    .exitOverride();

  const find = () => findSettings(program.opts<Chosen>(), Object.keys(settingsOf(service)), io.env);
  const read = (): Job => {
    const { texts, faults } = find();
    return { service, io, config: readConfig(service, texts, { faults }) };
  };

  // Each action imports its own command, so that `health`, for example, does not load the whole service.

  program
    .command('serve')
    .description('Run the service until SIGTERM or SIGINT')
    .action(async () => {
      const found = find();
      const { serve } = await import('./serve.ts');
      await serve({ service, io, config: readConfig(service, found.texts, found) }, found.doubts);
    });
  program
    .command('health')
    .description('Check that the service with these settings answers')
    .option('--timeout <time>', 'Wait this long for the answer', '2s')
    .action(async (options: { timeout: string }) =>
      (await import('./health.ts')).checkHealth(service, io, find().texts, options),
    );
  program
    .command('config')
    .description('List all settings with their values, sources and faults')
    .option('--json', 'Print one JSON object per line')
    .action(async (options: { json?: true }) => (await import('./config.ts')).showConfig(service, io, find(), options));

  const token = program.command('token').description('Manage the access tokens of clients');
  token
    .command('create <name>')
    .description('Create a token and print it once, on stdout')
    .option('--expires <lifetime>', 'Expire after this time, such as 90d, 12h or 30m (default: never)')
    .option(
      '--scope <scope>',
      'Grant a scope, of this contract or a later one; repeat for several (default: none)',
      append,
    )
    .action(async (name: string, options: { expires?: string; scope?: readonly string[] }) =>
      (await import('./token.ts')).createToken(read(), name, options),
    );
  token
    .command('list')
    .description('List all tokens, without their texts')
    .option('--json', 'Print one JSON object per line')
    .action(async (options: { json?: true }) => (await import('./token.ts')).listTokens(read(), options));
  token
    .command('revoke <name>')
    .description('Make a token invalid within a second')
    .action(async (name: string) => (await import('./token.ts')).revokeToken(read(), name));

  program
    .command('import <file>')
    .description('Store the records of a file, or of stdin (-), each as a client would send it')
    .option(...TABLE)
    .option('--format <format>', 'ndjson or csv (default: the extension of the file; ndjson for stdin)')
    .option('--rejects <file>', 'Write rejected records and the reasons to this file (default: FILE.rejects.ndjson)')
    .option('--dry-run', 'Check all records by the contract, and store none')
    .action(async (file: string, options: ImportOptions) =>
      (await import('./import.ts')).importRecords(read(), file, options),
    );
  program
    .command('export [file]')
    .description('Write all rows of a table to a new file, or to stdout (-), as a client would send them')
    .option(...TABLE)
    .option('--format <format>', 'ndjson or csv (default: the extension of the file; ndjson for stdout)')
    .action(async (file: string | undefined, options: { table?: string; format?: string }) =>
      (await import('./export.ts')).exportRecords(read(), file, options),
    );
  program
    .command('backup <file>')
    .description('Copy the store to a new file and check the copy')
    .action(async (file: string) => (await import('./backup.ts')).backUp(read(), file));
  program
    .command('restore <file>')
    .description('Replace the store with a backup and check it')
    .option('--force', 'Delete what the store has')
    .action(async (file: string, options: { force?: boolean }) =>
      (await import('./backup.ts')).restore(read(), file, options),
    );
  program
    .command('passfile <file>')
    .description('Write the password of DATABASE_URL to a file for pg_dump and psql, and print the URL without it')
    .action(async (file: string) => (await import('./passfile.ts')).writePassfile(read(), file));
  program
    .command('remove <key>')
    .description('Delete the row of a table that has this key, for good')
    .option(...TABLE)
    .action(async (key: string, options: { table?: string }) =>
      (await import('./remove.ts')).remove(read(), key, options),
    );
  program
    .command('migrate')
    .description('Update the schema of the store')
    .action(async () => (await import('./migrate.ts')).migrate(read()));
  return program;
}

function append(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}

/** @returns the exit code: that of the error, 1 for a bug, and 2 for a wrong command line */
function report(name: string, error: unknown, { stderr }: Io): number {
  // Commander has printed the message.
  if (error instanceof CommanderError) return 2;
  // The reader of stdout, such as `head`, has closed the pipe.
  if (Error.isError(error) && 'code' in error && error.code === 'EPIPE') return 1;
  // Any other error is a bug, so its stack is printed too.
  const isExplained = error instanceof ExplainedError;
  stderr.write(`${isExplained ? `${name}: ${error.message}` : inspect(error)}\n`);
  return isExplained ? error.exitCode : 1;
}
