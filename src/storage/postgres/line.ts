import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../columns.ts';
import type { Client, Parameter, Run } from './client.ts';
import { createClient, statement } from './client.ts';
import { broken, cancel, dial } from './dial.ts';
import { Interrupted, isPassing, losesConnection } from './errors.ts';
import type { Host, PostgresLocation } from './location.ts';
import { CHECK, requireSettings } from './settings.ts';

/** How long to wait before the next try, in milliseconds: twice as long each time, up to a limit. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** How long before the end of its time a query is cancelled, which leaves its connection as it is. */
const CANCEL_MS = 500;
/** How long a query may take while the server is known to be away. */
const AWAY_MS = 1000;

const [NOTHING, BEGIN, COMMIT] = [statement('select 1'), statement('begin'), statement('commit')];

/**
 * A client of one connection. The client's own ways to connect again lose queries, answer them with what was meant for
 * others, or end the process: whatever is lost, it is given up, and the next query gets another one.
 */
interface Connection {
  readonly client: Client;
  readonly aborted: AbortController;
  host: Host | undefined;
  /** Whether its server was seen to be as it must be: what a standby says may be of the past. */
  checked: boolean;
  /** Whether a commit gave up waiting for its standby, after which PostgreSQL reports success. */
  warned: boolean;
}

/** One connection to PostgreSQL at a time, made anew whenever it is lost: to the next host, if there are several. */
export class Line {
  private readonly location: PostgresLocation;
  private connection: Connection | undefined;
  private closed = false;
  private nextHost = 0;
  /** Whether what was tried last failed to the end: then one short try must do, so that nobody waits in vain. */
  private away = false;

  constructor(location: PostgresLocation) {
    this.location = location;
  }

  /**
   * Does some work, and again if what went wrong may pass, until the time given on the clock of `performance.now()`.
   *
   * @throws what PostgreSQL or the system says, past that time or if it will not pass
   */
  async attempt<T>(until: number, work: (run: Run) => Promise<T>): Promise<T> {
    const end = this.away ? Math.min(until, performance.now() + AWAY_MS) : until;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        const result = await work((text, ...parameters) => this.query(text, parameters, end));
        this.away = false;
        return result;
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (this.away || performance.now() + pause >= end - CANCEL_MS) {
          this.away = true;
          throw error;
        }
        await sleep(pause * (0.5 + Math.random() / 2));
      }
    }
  }

  /** Runs statements in one transaction, all or none; once. @throws what PostgreSQL or the system says */
  async transaction(until: number, work: (run: Run) => Promise<void>): Promise<void> {
    const connection = await this.connected(until);
    const run: Run = (text, ...parameters) => this.ask(connection, text, parameters, until);
    try {
      await run(BEGIN);
      await work(run);
      await run(COMMIT);
    } catch (error) {
      // Without it the server rolls back.
      this.giveUp(connection);
      throw error;
    }
  }

  /** The rows of a query in portions, as they are at one moment. Nothing else can use the line meanwhile. */
  async *portions(text: TemplateStringsArray, rows: number, until: number): AsyncGenerator<Row[]> {
    const connection = await this.connected(until);
    yield* connection.client<Row[]>(text).cursor(rows);
    // A connection that was lost in between looks like the end.
    await this.ask(connection, NOTHING, [], performance.now() + AWAY_MS);
  }

  close(): void {
    this.closed = true;
    if (this.connection !== undefined) this.giveUp(this.connection);
  }

  private async query(text: TemplateStringsArray, parameters: Parameter[], until: number): Promise<readonly Row[]> {
    return await this.ask(await this.connected(until), text, parameters, until);
  }

  /** A connection to a server that is as it must be. */
  private async connected(until: number): Promise<Connection> {
    if (this.closed) throw new Interrupted('the store is closed');
    const connection = (this.connection ??= this.open());
    if (!connection.checked) {
      const [row] = await this.ask(connection, CHECK, [], until);
      try {
        requireSettings(this.location, row);
      } catch (error) {
        this.giveUp(connection);
        throw error;
      }
      connection.checked = true;
    }
    return connection;
  }

  /** Runs a query to its end, or until its time is over. */
  private async ask(
    connection: Connection,
    text: TemplateStringsArray,
    parameters: readonly Parameter[],
    until: number,
  ): Promise<readonly Row[]> {
    const query = connection.client<Row[]>(text, ...parameters);
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<never>((_resolve, reject) => {
      const left = Math.max(0, until - performance.now() - CANCEL_MS);
      timer = setTimeout(() => void this.interrupt(connection, query).then(reject), left);
    });
    try {
      const rows = await Promise.race([query, overdue]);
      if (connection.warned) throw new Interrupted('a commit did not wait for the standby');
      // The client answers a query that was lost with nothing.
      if (!rows.command) throw new Interrupted('the connection was lost');
      return rows;
    } catch (error) {
      if (losesConnection(error)) this.giveUp(connection);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Cancels a query, and waits for what comes of it. Resolves with what to tell if nothing does. */
  private async interrupt(connection: Connection, query: unknown): Promise<Interrupted> {
    // The client's own cancel may go to another host, and ends the process if that host is away.
    const { state } = query as { state: { pid: number | null; secret: number } | null };
    if (connection.host !== undefined && typeof state?.pid === 'number') {
      const { pid, secret } = state;
      cancel(connection.host, this.location, { pid, secret }).catch(() => undefined);
      await sleep(CANCEL_MS);
    }
    return new Interrupted('PostgreSQL did not answer in time');
  }

  private open(): Connection {
    const aborted = new AbortController();
    let dialled = false;
    const connect = async (): Promise<Duplex> => {
      if (dialled) return broken(new Interrupted('the connection was lost'));
      dialled = true;
      return await this.dial(connection);
    };
    const client = createClient(this.location, connect, () => (connection.warned = true));
    const connection: Connection = { client, aborted, host: undefined, checked: false, warned: false };
    return connection;
  }

  private giveUp(connection: Connection): void {
    if (this.connection === connection) this.connection = undefined;
    connection.aborted.abort(new Interrupted('the connection was given up'));
    // Whatever is under way on it is rejected; it cannot fail itself.
    void connection.client.end({ timeout: 0 });
  }

  /** Connects to the first host that listens, from the one after the last one on. */
  private async dial(connection: Connection): Promise<Duplex> {
    const { hosts } = this.location;
    let failure: unknown;
    for (const host of [...hosts.slice(this.nextHost), ...hosts.slice(0, this.nextHost)]) {
      this.nextHost = (hosts.indexOf(host) + 1) % hosts.length;
      try {
        const socket = await dial(host, this.location, connection.aborted.signal);
        connection.host = host;
        // A connection that hangs is not told that it is over.
        connection.aborted.signal.addEventListener('abort', () => socket.destroy());
        return socket;
      } catch (error) {
        failure = error;
      }
    }
    return broken(Error.isError(failure) ? failure : new Interrupted(String(failure)));
  }
}
