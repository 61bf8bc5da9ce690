import type { Duplex } from 'node:stream';
import postgres from 'postgres';
import type { Row } from '../columns.ts';
import type { PostgresLocation } from './location.ts';

/** A value that goes into a query; arrays as PostgreSQL writes them. */
export type Parameter = string | number | bigint | Uint8Array | null;

/** Runs a statement, and answers with its rows. */
export type Run = (text: TemplateStringsArray, ...parameters: Parameter[]) => Promise<readonly Row[]>;

/**
 * The text of a query, taken apart at its parameters `$1`, `$2`, …, which must come in this order, each once. To be made
 * once for each text: the client keeps something for each that it is given.
 */
export function statement(text: string): TemplateStringsArray {
  const parts = text.split(/\$\d+/);
  return Object.assign(parts, { raw: parts });
}

export type Client = ReturnType<typeof createClient>;

/**
 * Every setting is given, also those that its types do not know, as the client looks into the environment for others.
 * But for `target_session_attrs`: it takes a standby for `read-write`, and ends the process if the connection is lost
 * while it asks; each connection is asked by `Line` itself.
 */
export function createClient(location: PostgresLocation, connect: () => Promise<Duplex>, onWaitGivenUp: () => void) {
  const { user, password, database, applicationName, connectTimeoutMs } = location;
  const options = {
    host: 'localhost',
    port: 5432,
    socket: connect,
    user,
    pass: () => password,
    database,
    max: 1,
    ssl: false,
    sslnegotiation: null,
    idle_timeout: undefined,
    connect_timeout: connectTimeoutMs / 1000,
    max_lifetime: null,
    max_pipeline: 100,
    backoff: () => 0,
    keep_alive: null,
    prepare: true,
    debug: false,
    fetch_types: false,
    publications: '',
    types: { bigint: postgres.BigInt },
    // By the name of its function, which is not translated.
    onnotice: ({ severity, routine }: postgres.Notice) => {
      if (severity === 'WARNING' && routine === 'SyncRepWaitForLSN') onWaitGivenUp();
    },
    connection: {
      application_name: applicationName,
      // What 200 promises, whatever the server's defaults are.
      synchronous_commit: 'on',
      default_transaction_isolation: 'read committed' as const,
    },
  };
  return postgres(options);
}
