import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { Row } from '../columns.ts';
import { StoreUnavailable } from '../plant-store.ts';
import { cancel, dial } from './dial.ts';
import { atWork, Interrupted, isPassing, SQLSTATE, sqlState } from './errors.ts';
import type { Host, PostgresLocation } from './location.ts';

/** How long to wait before the next try, in milliseconds: twice as long each time, up to a limit. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** How long a query that was cancelled may still take before its connection is given up. */
const CANCEL_MS = 1000;

/** A value that goes into a query; arrays as PostgreSQL writes them. */
export type Parameter = string | number | bigint | Uint8Array | null;

/** Runs a statement, and answers with its rows. */
export type Run = (text: TemplateStringsArray, ...parameters: Parameter[]) => Promise<readonly Row[]>;

/**
 * The text of a query, taken apart at its parameters `$1`, `$2`, …, which must come in this order, each once. The
 * client keeps something of each query that fails, for ever, unless it is a template.
 */
export function statement(text: string): TemplateStringsArray {
  const parts = text.split(/\$\d+/);
  return Object.assign(parts, { raw: parts });
}

/** One connection to PostgreSQL, made anew whenever it is lost: to the next host, if there are several. */
export class Line {
  private readonly location: PostgresLocation;
  private readonly client: ReturnType<typeof createClient>;
  private readonly closing = new AbortController();
  private socket: Duplex | undefined;
  private host: Host | undefined;
  private nextHost = 0;
  /** How often the server has warned. */
  private warnings = 0;
  /** Whether what was tried last failed to the end: then one try must do, so that nobody waits in vain. */
  private away = false;

  constructor(location: PostgresLocation) {
    this.location = location;
    const onWarning = () => {
      this.warnings++;
    };
    this.client = createClient(location, () => this.connect(), onWarning);
  }

  /**
   * Does some work, and again if what went wrong may pass, until the time given on the clock of `performance.now()`.
   *
   * @throws StoreUnavailable past that time
   */
  async attempt<T>(until: number, work: (run: Run) => Promise<T>): Promise<T> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        const result = await work((text, ...parameters) => this.query(text, parameters, until));
        this.away = false;
        return result;
      } catch (error) {
        // Another host may take writes by now.
        if (sqlState(error) === SQLSTATE.readOnly) this.socket?.destroy(new Interrupted('the server takes no writes'));
        if (isPassing(error)) {
          if (!this.away && performance.now() + pause < until) {
            await sleep(pause * (0.5 + Math.random() / 2));
            continue;
          }
          this.away = true;
        }
        throw atWork(error);
      }
    }
  }

  /** Runs statements in one transaction, all or none; once. @throws what PostgreSQL or the system says */
  async transaction(until: number, work: (run: Run) => Promise<void>): Promise<void> {
    const timer = setTimeout(
      () => this.socket?.destroy(new Interrupted('it took too long')),
      until - performance.now(),
    );
    try {
      await this.client.begin((client) => work((text, ...parameters) => client<Row[]>(text, ...parameters)));
    } finally {
      clearTimeout(timer);
    }
  }

  /** The rows of a query in portions, as they are at one moment. */
  portions(text: TemplateStringsArray, rows: number): AsyncIterable<Row[]> {
    return this.client<Row[]>(text).cursor(rows);
  }

  async close(): Promise<void> {
    this.closing.abort(new StoreUnavailable('the store is closed'));
    await this.client.end({ timeout: CANCEL_MS / 1000 });
  }

  /** Runs a query to its end, or until it is interrupted. */
  private async query(text: TemplateStringsArray, parameters: Parameter[], until: number): Promise<readonly Row[]> {
    const { socket, warnings } = this;
    // What the client is given while a connection breaks is lost, and never answered.
    if (socket?.destroyed === true && !socket.closed) await once(socket, 'close');
    const query = this.client<Row[]>(text, ...parameters);
    let answered = false;
    const timer = setTimeout(() => void this.interrupt(query, () => answered), until - performance.now());
    try {
      const rows = await query;
      // After a commit that gave up waiting for a standby PostgreSQL warns, and says nothing else.
      if (this.warnings !== warnings) throw new Interrupted('PostgreSQL warned instead of doing all that it was to do');
      // The client answers a query that was lost with nothing.
      if (!rows.command) throw new Interrupted('the connection was lost');
      return rows;
    } finally {
      answered = true;
      clearTimeout(timer);
    }
  }

  /** Cancels a query, which leaves the connection as it is; gives the connection up if that does not help. */
  private async interrupt(query: PromiseLike<unknown>, answered: () => boolean): Promise<void> {
    const { socket, host } = this;
    // The client's own cancel may go to another host, and ends the process if that host is away.
    const { state } = query as unknown as { state: { pid: number | null; secret: number } | null };
    if (host !== undefined && typeof state?.pid === 'number') {
      await cancel(host, this.location, { pid: state.pid, secret: state.secret }).catch(() => undefined);
      await sleep(CANCEL_MS);
    }
    if (!answered()) socket?.destroy(new Interrupted('PostgreSQL did not answer in time'));
  }

  /** Connects to the first host that listens, from the one after the last one on. */
  private async connect(): Promise<Duplex> {
    const { hosts } = this.location;
    let failure: unknown;
    for (const host of [...hosts.slice(this.nextHost), ...hosts.slice(0, this.nextHost)]) {
      this.nextHost = (hosts.indexOf(host) + 1) % hosts.length;
      try {
        this.socket = await dial(host, this.location, this.closing.signal);
        this.host = host;
        return this.socket;
      } catch (error) {
        failure = error;
      }
    }
    // The client waits for ever for a connection that it does not get; one that breaks it gives up.
    return new Duplex({
      read: () => undefined,
      write: (_chunk, _encoding, callback) => {
        callback(Error.isError(failure) ? failure : new Interrupted(String(failure)));
      },
    });
  }
}

/** Every setting is given, also those that its types do not know: the client would look into the environment for those that are not. */
function createClient(location: PostgresLocation, connect: () => Promise<Duplex>, onWarning: () => void) {
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
    backoff: () => FIRST_PAUSE_MS / 1000,
    keep_alive: null,
    prepare: true,
    debug: false,
    fetch_types: false,
    publications: '',
    target_session_attrs: 'read-write' as const,
    types: { bigint: postgres.BigInt },
    onnotice: ({ severity }: postgres.Notice) => {
      if (severity === 'WARNING') onWarning();
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
