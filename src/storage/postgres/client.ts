import { TLSSocket } from 'node:tls';
import { Client, types } from 'pg';
import { type Row, StoreUnusable } from '../store.ts';
import { Json } from '../values.ts';
import { InterruptedError, translate } from './errors.ts';
import { type Host, nameOfHost, type PostgresLocation, serverOf } from './location.ts';

/** A connection to a server that is as it must be. */
export interface Connection {
  readonly client: Client;
  /** The server's process. */
  readonly pid: unknown;
  /** Whether a commit gave up waiting for its standby, after which PostgreSQL reports success. */
  standbyMissed: boolean;
}

/** What each session sets, over the defaults of the server, the database and the user, and must find set. */
const SESSION = {
  synchronous_commit: 'on',
  // Off, it makes the text `null` of null.
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  // How the server writes bytes, doubles and intervals, so that they are read as they are.
  bytea_output: 'hex',
  extra_float_digits: '1',
  IntervalStyle: 'postgres',
  // On, it would quote the names of types, which the start compares.
  quote_all_identifiers: 'off',
  // The server warns when a commit did not wait for its standby.
  client_min_messages: 'notice',
};

/** What each session sets, too, but a pooler in between may drop. No timeout: the store has its own. */
const OPTIONS = {
  ...SESSION,
  default_transaction_isolation: 'read committed',
  DateStyle: 'ISO',
  TimeZone: 'UTC',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
  // A list waits for its reader.
  idle_in_transaction_session_timeout: '0',
};

/** What a server must have, to keep what it is given as it is. */
const NEEDED = { ...SESSION, fsync: 'on', server_encoding: 'UTF8' };

/** Asked of each new connection: another server may be behind it, or a pooler that drops what the session sets. */
const CHECK = `select pg_backend_pid() as pid, current_schema() as schema,
  current_setting('transaction_read_only') as read_only,
  ${Object.keys(NEEDED)
    .map((name) => `current_setting('${name}') as "${name}"`)
    .join()}`;

/** What pg says of an answer to its wish for TLS. It gives these no code: the tests notice when it says something new. */
const NO_TLS = 'The server does not support SSL connections';
const NO_POSTGRES = 'There was an error establishing an SSL connection';

/**
 * Connects to a host, with TLS as the settings want it.
 *
 * @param signal ends the attempt
 * @throws StoreUnusable, InterruptedError, or what PostgreSQL says
 */
export async function connect(location: PostgresLocation, host: Host, signal: AbortSignal): Promise<Connection> {
  const { mode } = location.tls;
  // A Unix socket has no use for TLS, as with libpq.
  if (mode === 'disable' || host.host.startsWith('/')) return await dial(location, host, false, signal);
  try {
    return await dial(location, host, true, signal);
  } catch (error) {
    const reason = error instanceof InterruptedError ? error.message : undefined;
    if (reason === NO_POSTGRES) throw new InterruptedError('the server does not speak the protocol of PostgreSQL');
    if (reason !== NO_TLS) throw error;
    if (mode === 'prefer') return await dial(location, host, false, signal);
    throw new StoreUnusable(`${serverOf(location)} offers no TLS, which sslmode=${mode} asks for`);
  }
}

async function dial(location: PostgresLocation, host: Host, secure: boolean, signal: AbortSignal): Promise<Connection> {
  const client = createClient(location, host, secure);
  const connection = { client, pid: undefined, standbyMissed: false };
  // Queries under way fail by themselves; without a listener the process would end.
  client.on('error', () => undefined);
  // By the name of its function, which is not translated.
  client.on('notice', ({ routine }) => (connection.standbyMissed ||= routine === 'SyncRepWaitForLSN'));
  const abort = () => client.connection.stream.destroy(new InterruptedError(`no answer from ${nameOfHost(host)}`));
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    await client.connect();
    const { rows } = await client.query<Row>(CHECK);
    requireSettings(serverOf(location), rows[0] ?? {});
    return Object.assign(connection, { pid: rows[0]?.['pid'] });
  } catch (error) {
    const { stream } = client.connection;
    stream.destroy();
    // Its type does not say that it is null unless the certificate is refused.
    const refusal: unknown = stream instanceof TLSSocket ? stream.authorizationError : null;
    if (isVerified(location) && refusal !== null) {
      const { message: reason } = translate(error, '');
      throw new StoreUnusable(`${serverOf(location)} has a certificate that is refused: ${reason}`, { cause: error });
    }
    throw translate(error, serverOf(location));
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Every setting is given for which pg would look into the environment. */
function createClient(location: PostgresLocation, { host, port }: Host, secure: boolean): Client {
  const { tls, user, password, database, applicationName } = location;
  const { mode, ...files } = tls;
  const client = new Client({
    host,
    port,
    user,
    // A function, as pg would look for another one in place of an empty text.
    password: () => {
      if (password !== '') return password;
      throw new StoreUnusable(`${serverOf(location)} asks for a password: the URL has none`);
    },
    database,
    ssl: secure && {
      ...files,
      rejectUnauthorized: isVerified(location),
      ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
    },
    sslnegotiation: 'postgres',
    application_name: applicationName,
    options: Object.entries(OPTIONS)
      .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
      .join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // Requests look their tokens up through one connection, all at once.
    pipeline: true,
  });
  client.setTypeParser(types.builtins.INT8, BigInt);
  // As SQLite has them: a Buffer is another class, whose `slice` shares its bytes.
  client.setTypeParser(types.builtins.BYTEA, (text) => new Uint8Array(Buffer.from(text.slice('\\x'.length), 'hex')));
  client.setTypeParser(types.builtins.JSONB, (text) => Json.parse(text));
  // What sum() makes of bigint.
  client.setTypeParser(types.builtins.NUMERIC, (text) => (text.includes('.') ? Number(text) : BigInt(text)));
  return client;
}

const isVerified = ({ tls }: PostgresLocation) => tls.mode === 'verify-ca' || tls.mode === 'verify-full';

/** @throws StoreUnusable, or InterruptedError if the server takes no writes: it may do so soon, or another host */
function requireSettings(server: string, row: Row): void {
  for (const [setting, needed] of Object.entries(NEEDED)) {
    if (row[setting] === needed) continue;
    const has = `${server} has ${setting} = ${JSON.stringify(row[setting])}`;
    throw new StoreUnusable(`${has}: the store needs ${needed}, to keep what it is given`);
  }
  if (row['schema'] === null) {
    throw new StoreUnusable(`${server} has no schema for this user's tables: set a search_path that names one`);
  }
  if (row['read_only'] !== 'off') throw new InterruptedError('the server takes no writes: transaction_read_only is on');
}

/** Asks the server to give up what a connection of it is doing, which leaves the connection as it is. */
export async function cancel(location: PostgresLocation, { client, pid }: Connection, ms: number): Promise<void> {
  const cancelConnection = await connect(location, { host: client.host, port: client.port }, AbortSignal.timeout(ms));
  await cancelConnection.client.query('select pg_cancel_backend($1)', [pid]).finally(() => {
    drop(cancelConnection);
  });
}

/** Ends a connection, and fails its queries. A server that hangs is not waited for. */
export function drop({ client }: Connection, failure?: Error): void {
  if (failure === undefined) void client.end();
  client.connection.stream.destroy(failure);
}
