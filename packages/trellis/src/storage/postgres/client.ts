import { TLSSocket } from 'node:tls';
import { Client, Query, type QueryConfig, type ResultBuilder, types } from 'pg';
import { asError } from 'trellis-contract/ground';
import type { AnyRow } from '../engine.ts';
import { StoreUnusable } from '../store-errors.ts';
import { Json } from '../values.ts';
import { InterruptedError, POOLER, PROTOCOL_VIOLATION, StatementRejectedError, stateOf, translate } from './errors.ts';
import { CHECK, OPTIONS, requireSettings } from './session-settings.ts';
import { type Host, nameOfHost, type PostgresLocation, serverOf } from './location.ts';

export interface PostgresConnection {
  readonly client: Client;
  readonly pid: unknown;
  /** Whether a commit was reported as a success although it did not wait for its standby. */
  standbyMissed: boolean;
  /** Whether the server has prepared the statement that begins a transaction. */
  knowsBegin: boolean;
}

/** The answers of PostgreSQL to a request for TLS, of one byte (documentation of its protocol, "SSL Session Encryption"). */
const [TLS, NO_TLS] = Buffer.from('SN');

/** The server has answered the request for TLS with a byte other than `TLS`. */
class TlsRefusedError extends InterruptedError {
  readonly answer: number | undefined;

  constructor(answer: number | undefined, cause: unknown) {
    super('the server does not speak the protocol of PostgreSQL', { cause });
    this.answer = answer;
  }
}

/** A certificate that the operator of the server will renew; with any other refusal, the settings may be wrong. */
const UNTIMELY: ReadonlySet<unknown> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

export async function connect(
  location: PostgresLocation,
  host: Host,
  signal: AbortSignal,
): Promise<PostgresConnection> {
  const { mode } = location.tls;
  // Like libpq, without TLS on a Unix socket.
  if (mode === 'disable' || host.host.startsWith('/')) return await dial(location, host, false, signal);
  try {
    return await dial(location, host, true, signal);
  } catch (error) {
    if (!(error instanceof TlsRefusedError && error.answer === NO_TLS)) throw error;
    if (mode === 'prefer') return await dial(location, host, false, signal);
    throw new StoreUnusable(`${serverOf(location)} offers no TLS: enable it there, or change sslmode=${mode}`);
  }
}

async function dial(
  location: PostgresLocation,
  host: Host,
  secure: boolean,
  signal: AbortSignal,
  options: Readonly<Record<string, string>> = OPTIONS,
): Promise<PostgresConnection> {
  const client = createClient(location, host, secure, options);
  const connection = { client, pid: undefined, standbyMissed: false, knowsBegin: false };
  // Without a listener, an error of the connection would end the process; its queries fail anyway.
  client.on('error', () => undefined);
  // The server translates the text of a notice, but not the name of the C function that sent it.
  client.on('notice', ({ routine }) => {
    connection.standbyMissed ||= routine === 'SyncRepWaitForLSN';
  });
  const abort = () => client.connection.stream.destroy(new InterruptedError(`no answer from ${nameOfHost(host)}`));
  signal.addEventListener('abort', abort);
  let answer: number | undefined;
  if (secure)
    client.connection.stream.once('data', (bytes: Buffer) => {
      [answer] = bytes;
    });
  try {
    signal.throwIfAborted();
    await client.connect();
    const { rows } = await client.query<AnyRow>(CHECK);
    requireSettings(serverOf(location), rows[0] ?? {});
    return Object.assign(connection, { pid: rows[0]?.['pid'] });
  } catch (error) {
    const { stream } = client.connection;
    stream.destroy();
    if (answer !== undefined && answer !== TLS) throw new TlsRefusedError(answer, error);
    // authorizationError is null unless Node rejects the certificate, although its type excludes null.
    const refusal: unknown = stream instanceof TLSSocket ? stream.authorizationError : null;
    if (isVerified(location) && refusal !== null) {
      const { message: reason } = translate(error, '');
      const message = `the certificate of ${serverOf(location)} is not valid: ${reason}`;
      throw UNTIMELY.has(refusal) ? new InterruptedError(message) : new StoreUnusable(message, { cause: error });
    }
    if (options === OPTIONS && stateOf(error) === PROTOCOL_VIOLATION) {
      // PgBouncer has this code for most failures: it refuses the options if it accepts a connection without them.
      drop(await dial(location, host, secure, signal, {}));
      throw new StoreUnusable(`${serverOf(location)} refuses the settings of a session: ${POOLER}`);
    }
    throw translate(error, serverOf(location));
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Sets every option that pg would otherwise read from the environment. */
function createClient(
  location: PostgresLocation,
  { host, port }: Host,
  secure: boolean,
  options: Readonly<Record<string, string>>,
): Client {
  const { tls, user, password, database, applicationName } = location;
  const { mode, ...files } = tls;
  return new Client({
    host,
    port,
    user,
    // A function, as pg would replace an empty text by a password from the environment.
    password: () => {
      if (password !== '') return password;
      throw new StoreUnusable(`${serverOf(location)} asks for a password: add it to DATABASE_URL`);
    },
    database,
    ssl: secure && {
      ...files,
      rejectUnauthorized: isVerified(location),
      ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
    },
    sslnegotiation: 'postgres',
    ...(applicationName !== undefined && { application_name: applicationName }),
    options: Object.entries(options)
      .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
      .join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: {
      getTypeParser: ((type, format): unknown =>
        PARSERS.get(type) ?? types.getTypeParser(type, format)) as typeof types.getTypeParser,
    },
    // Concurrent requests look up their tokens through one connection.
    pipeline: true,
  });
}

/** How values are read from their texts, by the type of PostgreSQL and the type of its arrays (pg_type.dat of its source). */
const OWN: readonly (readonly [type: number, listType: number, parse: (text: string) => unknown])[] = [
  [types.builtins.INT8, 1016, BigInt],
  // A Uint8Array, as from SQLite: unlike it, a Buffer shares its memory with the results of its `slice`.
  [types.builtins.BYTEA, 1001, (text) => new Uint8Array(Buffer.from(text.slice('\\x'.length), 'hex'))],
  [types.builtins.JSON, 199, (text) => Json.parse(text)],
  [types.builtins.JSONB, 3807, (text) => Json.parse(text)],
  [types.builtins.NUMERIC, 1231, numericOf],
  // pg would read both in the time zone of the process; each session has UTC.
  [types.builtins.DATE, 1182, (text) => timeOf(text.replace(/( BC)?$/, ' 00:00:00+00$1'))],
  [types.builtins.TIMESTAMP, 1115, (text) => timeOf(text.replace(/( BC)?$/, '+00$1'))],
];
/** The type of arrays of texts, which the types of pg lack. */
const TEXT_LIST = [1009] as unknown as Parameters<typeof types.getTypeParser>;
const textsOf = types.getTypeParser(...TEXT_LIST) as (text: string) => unknown;
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map(
  OWN.flatMap(([type, listType, parse]) => [
    [type, parse] as const,
    [listType, (text: string) => eachOf(textsOf(text), parse)] as const,
  ]),
);

/** An array, which may have several dimensions, with each text in it read. */
function eachOf(value: unknown, parse: (text: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => eachOf(each, parse));
  return typeof value === 'string' ? parse(value) : value;
}

const timeOf = types.getTypeParser(types.builtins.TIMESTAMPTZ) as (text: string) => unknown;

/** PostgreSQL returns the sum() of bigint values as numeric. */
function numericOf(text: string): unknown {
  if (/[a-z]/i.test(text)) throw new StatementRejectedError(`a numeric is ${text}, which cannot be read`);
  return text.includes('.') ? Number(text) : BigInt(text);
}

const isVerified = ({ tls }: PostgresLocation) => tls.mode === 'verify-ca' || tls.mode === 'verify-full';

/** @param onWait receives, before the query is cancelled, whether it waits for a lock */
export async function cancel(
  location: PostgresLocation,
  { client, pid }: PostgresConnection,
  ms: number,
  onWait: (forLock: boolean) => void,
): Promise<void> {
  const other = await connect(location, { host: client.host, port: client.port }, AbortSignal.timeout(ms));
  try {
    const { rows } = await other.client.query<AnyRow>('select wait_event_type from pg_stat_activity where pid = $1', [
      pid,
    ]);
    onWait(rows[0]?.['wait_event_type'] === 'Lock');
    await other.client.query('select pg_cancel_backend($1)', [pid]);
  } finally {
    drop(other);
  }
}

/**
 * Runs a query with values behind a prepared statement, in one message. If the statement fails, the server skips the query:
 * it skips all up to the end of the message (its documentation, "Extended Query").
 */
export function queryBehind(
  statement: string,
  { client }: PostgresConnection,
  config: QueryConfig,
): Promise<ResultBuilder<AnyRow>> {
  return new Promise((resolve, reject) => {
    const query = new Query<AnyRow>(config, (error, result) => {
      // pg makes an array of the results of several statements.
      const last = [result].flat().at(-1);
      if (last === undefined) reject(asError(error));
      else resolve(last);
    });
    const { submit } = query;
    query.submit = (connection) => {
      const { stream } = connection;
      stream.cork();
      connection.bind({ statement }, true);
      connection.execute(null, true);
      submit.call(query, connection);
      stream.uncork();
    };
    client.query(query);
  });
}

/** Closes a connection at once, even if the server hangs. Its queries fail. */
export function drop({ client }: PostgresConnection, failure?: Error): void {
  if (failure === undefined) void client.end();
  client.connection.stream.destroy(failure);
}
