import { TLSSocket } from 'node:tls';
import { Client, types } from 'pg';
import type { Row } from '../columns.ts';
import { StoreUnusable } from '../store.ts';
import { Interrupted, toInterrupted, TlsRefused } from './errors.ts';
import { type Host, nameOf, nameOfHost, type PostgresLocation } from './location.ts';
import { CHECK, OPTIONS, requireSettings } from './settings.ts';

/** A connection to a server that is as it must be. */
export interface Connection {
  readonly client: Client;
  /** The server's process. */
  readonly pid: unknown;
  /** Whether a commit gave up waiting for its standby, after which PostgreSQL reports success. */
  warned: boolean;
}

/** What pg says of an answer to its wish for TLS. It gives these no code: the tests notice when it says something new. */
const NO_TLS = 'The server does not support SSL connections';
const NO_POSTGRES = 'There was an error establishing an SSL connection';

/**
 * Connects to a host, with TLS as the settings want it.
 *
 * @param signal ends the attempt
 * @throws TlsRefused, StoreUnusable, Interrupted, or what PostgreSQL says
 */
export async function connect(location: PostgresLocation, host: Host, signal: AbortSignal): Promise<Connection> {
  const { mode } = location.tls;
  // A Unix socket has no use for TLS, as with libpq.
  if (mode === 'disable' || host.host.startsWith('/')) return await dial(location, host, false, signal);
  try {
    return await dial(location, host, true, signal);
  } catch (error) {
    const reason = error instanceof Interrupted ? error.message : undefined;
    if (reason === NO_POSTGRES) throw new Interrupted('the server does not speak the protocol of PostgreSQL');
    if (reason !== NO_TLS) throw error;
    if (mode === 'prefer') return await dial(location, host, false, signal);
    throw new TlsRefused(`offers no TLS, which sslmode=${mode} asks for`);
  }
}

async function dial(location: PostgresLocation, host: Host, secure: boolean, signal: AbortSignal): Promise<Connection> {
  const client = createClient(location, host, secure);
  const connection = { client, pid: undefined, warned: false };
  // What is under way fails by itself; without a listener the process would end.
  client.on('error', () => undefined);
  // By the name of its function, which is not translated.
  client.on('notice', ({ routine }) => (connection.warned ||= routine === 'SyncRepWaitForLSN'));
  const abort = () => client.connection.stream.destroy(new Interrupted(`no answer from ${nameOfHost(host)}`));
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    await client.connect();
    const { rows } = await client.query<Row>(CHECK);
    requireSettings(location, rows[0]);
    return Object.assign(connection, { pid: rows[0]?.['pid'] });
  } catch (error) {
    const { stream } = client.connection;
    stream.destroy();
    // Its type does not say that it is null unless the certificate is refused.
    const refusal: unknown = stream instanceof TLSSocket ? stream.authorizationError : null;
    if (isVerified(location) && refusal !== null) {
      throw new TlsRefused(`has a certificate that is refused: ${toInterrupted(error).message}`, { cause: error });
    }
    throw toInterrupted(error);
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
      throw new StoreUnusable(`PostgreSQL at ${nameOf(location)} asks for a password: the URL has none`);
    },
    database,
    ssl: secure && {
      ...files,
      rejectUnauthorized: isVerified(location),
      ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
    },
    sslnegotiation: 'postgres',
    application_name: applicationName,
    options: OPTIONS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // Requests look their tokens up through one connection, all at once.
    pipeline: true,
  });
  client.setTypeParser(types.builtins.INT8, BigInt);
  return client;
}

const isVerified = ({ tls }: PostgresLocation) => tls.mode === 'verify-ca' || tls.mode === 'verify-full';

/** Asks the server to give up what a connection of it is doing, which leaves the connection as it is. */
export async function cancel(location: PostgresLocation, { client, pid }: Connection, ms: number): Promise<void> {
  const other = await connect(location, client, AbortSignal.timeout(ms));
  await other.client.query('select pg_cancel_backend($1)', [pid]).finally(() => {
    drop(other);
  });
}

/** Ends a connection, and fails what is under way on it. A server that hangs is not waited for. */
export function drop({ client }: Connection, failure?: Error): void {
  if (failure === undefined) void client.end();
  client.connection.stream.destroy(failure);
}
