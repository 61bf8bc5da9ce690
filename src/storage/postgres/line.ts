import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../columns.ts';
import { StoreUnavailable } from '../plant-store.ts';
import type { Client, Parameter, Run } from './client.ts';
import { createClient, statement } from './client.ts';
import { cancel, dial } from './dial.ts';
import { Interrupted, isPassing, SQLSTATE, sqlState } from './errors.ts';
import type { Host, PostgresLocation } from './location.ts';

/** How long to wait before the next try, in milliseconds: twice as long each time, up to a limit. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** How long a query that was cancelled may still take before its connection is given up. */
const CANCEL_MS = 1000;

const READ_ONLY = statement(`select current_setting('transaction_read_only') as read_only`);

/** One connection to PostgreSQL, made anew whenever it is lost: to the next host, if there are several. */
export class Line {
  private readonly location: PostgresLocation;
  private readonly client: Client;
  private readonly closing = new AbortController();
  private socket: Duplex | undefined;
  /** When the client has learnt that the connection is no more. */
  private gone: Promise<void> | undefined;
  private host: Host | undefined;
  /** The connection whose server was seen to take writes: what a standby says may be of the past. */
  private writable: Duplex | undefined;
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
   * @throws what PostgreSQL or the system says, past that time or if it will not pass
   */
  async attempt<T>(until: number, work: (run: Run) => Promise<T>): Promise<T> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        const result = await work((text, ...parameters) => this.query(text, parameters, until));
        this.away = false;
        return result;
      } catch (error) {
        if (sqlState(error) === SQLSTATE.readOnly) this.drop();
        if (isPassing(error)) {
          if (!this.away && performance.now() + pause < until) {
            await sleep(pause * (0.5 + Math.random() / 2));
            continue;
          }
          this.away = true;
        }
        throw error;
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

  /** Runs a query to its end, or until it is interrupted, on a connection whose server takes writes. */
  private async query(text: TemplateStringsArray, parameters: Parameter[], until: number): Promise<readonly Row[]> {
    // What the client is given while a connection breaks is lost, and never answered.
    if (this.socket?.destroyed === true) await this.gone;
    if (this.socket?.destroyed !== false || this.socket !== this.writable) {
      const [row] = await this.ask(READ_ONLY, [], until);
      if (row?.['read_only'] !== 'off') throw this.drop();
      this.writable = this.socket;
    }
    const { writable } = this;
    const rows = await this.ask(text, parameters, until);
    if (this.socket !== writable) throw new Interrupted('the connection was made anew meanwhile');
    return rows;
  }

  private async ask(text: TemplateStringsArray, parameters: Parameter[], until: number): Promise<readonly Row[]> {
    const { warnings } = this;
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

  /** Gives up the connection, as another host may take writes by now. */
  private drop(): Interrupted {
    const error = new Interrupted('the server takes no writes');
    this.socket?.destroy(error);
    return error;
  }

  /** Cancels a query, which leaves the connection as it is; gives the connection up if that does not help. */
  private async interrupt(query: PromiseLike<unknown>, answered: () => boolean): Promise<void> {
    const { socket, host } = this;
    // The client's own cancel may go to another host, and ends the process if that host is away.
    const { state } = query as unknown as { state: { pid: number | null; secret: number } | null };
    if (host !== undefined && typeof state?.pid === 'number') {
      cancel(host, this.location, { pid: state.pid, secret: state.secret }).catch(() => undefined);
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
        const socket = await dial(host, this.location, this.closing.signal);
        this.gone = new Promise((resolve) => socket.once('close', resolve));
        [this.socket, this.host] = [socket, host];
        return socket;
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
