/**
 * What a service may use of the framework. Importing this file loads neither Express nor Kysely nor the client of
 * PostgreSQL.
 *
 * @module
 */
import 'trellis-contract/ground';
import type { Instance } from './instance/start.ts';
import type { AnyService } from './service.ts';

export type { Instance } from './instance/start.ts';
/** The failures that every service may answer. */
export { ErrorNumber, type RequestFault } from 'trellis-contract/ground';
/** What `errorBody` of a service gets. */
export type { Failure } from 'trellis-contract';
/** Changes by a patch of a client, as RFC 7396 says. */
export { mergePatch } from 'trellis-contract/ground';
/**
 * Shapes of requests, replies and schemas, from the types that `npm run generate` writes. A service binds each of them
 * to its own contract in one line.
 */
export type { Operation, Reply, Request, Schema } from 'trellis-contract';
/** `ETag` and `If-Match`, for changes that must not overwrite those of another client. */
export { entityTag, ifMatch } from './http/entity-tag.ts';
/** The whole service as one value, what its operations get, its own settings, and what opens its resources. */
export type { Service, Settings, Setup, Tools } from './service.ts';
export { stub } from './stub.ts';
/** Where the next page of a list begins, as a text. */
export { decodeCursor, encodeCursor } from './storage/cursor.ts';
/** The steps that make the tables, written once for both engines. */
export type { Dialect, Step, Steps } from './storage/steps.ts';
export type { Creation, Database, Queries, Transaction } from './storage/queries.ts';
/** Thrown by a query that would break a constraint; the query had no effect. */
export { ConstraintViolated } from './storage/store-errors.ts';
/** Tables, the kinds of their columns, and rows as data. */
export {
  boolean,
  bytes,
  int32,
  int64,
  json,
  number,
  optional,
  type Stored as Row,
  table,
  text,
  timestamp,
  withoutNulls,
} from './storage/tables.ts';
/** A value of a column of JSON, in a query. */
export { Json } from './storage/values.ts';

/**
 * Runs the command line of a service: `serve`, `token`, `import` and others; `--help` lists them. Sets the exit code of
 * the process: 0, 1 after a failure, 2 for a wrong command line, 78 for settings that cannot work, 70 after a failure of
 * unknown effect, 124 if `health` gets no answer in time, and 128 with its number after a signal.
 */
export async function run(service: AnyService): Promise<void> {
  const { main } = await import('./commands/main.ts');
  process.exitCode = await main(service, process.argv.slice(2), process);
}

/**
 * Starts a service in this process, for tests, or within another program: as `serve` does, but it reads neither the
 * environment nor `.env`, handles no signal, and sets no flag of V8. Several may run in one process, each on a store of
 * its own. The log goes to stdout. Resolves when the store is open, and waits while the store is away.
 *
 * @param settings by name, as texts; PORT is 0 unless it is set: the system chooses the port
 * @throws Error with what is wrong with the settings, the contract, the store or the resources; nothing is left open
 */
export async function start(service: AnyService, settings: Readonly<Record<string, string>>): Promise<Instance> {
  const { startInstance } = await import('./instance/start.ts');
  return await startInstance(service, { PORT: '0', ...settings }, process.stdout);
}
