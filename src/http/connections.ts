import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Caller } from '../auth/caller.ts';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import { DEADLINE, MAX, REASONS } from './bounds.ts';

const ROOM: Readonly<Exchange['held']> = { body: MAX.bodies, reply: MAX.unsent };

/** What is left of a bound when much gives way at once: the search for what holds most takes long, and must be rare. */
const [LEFT, LEFT_CONNECTIONS] = [0.875, 0.99];

export type Phase = 'idle' | 'head' | 'body' | 'working' | 'replying';

/** Called when a connection is cut off, with the reason. */
export type OnCutOff = (reason: keyof typeof REASONS) => void;

const wasted = new Refusal(
  ErrorNumber.storeUnavailable,
  'the service is busy, try again',
  { 'Retry-After': String(DEADLINE.waste / 1000) },
  'the caller has sent a body of small chunks, and may send no chunks for a while',
);

/** A request and its reply, with what the process holds for them. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly ledger: Connections;
  /** Whether it came before the reply to the request before it was out. */
  readonly pipelined: boolean;
  /** Who it is counted for: the caller's key, and until that is known the client's address. */
  key = '';
  /** undefined: not known yet, or not asked for. */
  caller: Caller | undefined;
  /** Whether it is the last of its connection (RFC 9112, section 9.6). */
  last = false;
  /** Whether the reply is out, or the client gone. */
  ended = false;
  /** Called once, when it has ended. */
  onEnd: (() => void) | undefined;
  /** Called when the body has to give way to others. */
  onGiveWay: (() => void) | undefined;
  /** Bytes of the body, as allocated, and of a reply that the system has not taken whole. */
  readonly held = { body: 0, reply: 0 };
  /** Whether the client sends the body only when it is asked to (RFC 9110, section 10.1.1). */
  private expectsContinue: boolean;

  constructor({ request, response, connection, ledger, expectsContinue }: ExchangeParts) {
    this.request = request;
    this.response = response;
    this.connection = connection;
    this.ledger = ledger;
    this.pipelined = connection.exchanges.length > 0;
    this.expectsContinue = expectsContinue;
  }

  /** Asks for the body, if the client waits for that. */
  askForBody(): void {
    if (this.expectsContinue) this.response.writeContinue();
    this.expectsContinue = false;
  }
}

export interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly ledger: Connections;
  readonly expectsContinue: boolean;
}

/** A connection, with what is under way on it. */
export class Connection implements Holder {
  readonly socket: Socket;
  /** The address of the peer, which a socket forgets when it is closed. */
  readonly address: string | undefined;
  /** What is under way, in the order of the requests. */
  readonly exchanges: Exchange[] = [];
  /** How many of these are pipelined. */
  count = 0;
  /** When a request came, or a body or a reply got on, on the clock of `performance.now()`. */
  progressAt = performance.now();
  /** What had come of a body, or gone of a reply, by then. */
  progress: number | undefined;
  /** Whether Node could not read what came. */
  unreadable = false;
  private begun = false;
  /** No request behind the present ones is processed. */
  private ending = false;
  /** Not even the rest of the present one is wanted. */
  private deaf = false;

  constructor(socket: Socket) {
    this.socket = socket;
    this.address = socket.remoteAddress;
    this.steerParser();
  }

  get phase(): Phase {
    const [first] = this.exchanges;
    if (first === undefined) return this.begun ? 'idle' : 'head';
    if (first.response.headersSent) return 'replying';
    return first.request.complete ? 'working' : 'body';
  }

  begin(exchange: Exchange): void {
    this.begun = true;
    this.exchanges.push(exchange);
    this.progressAt = performance.now();
  }

  /** Has the connection end behind a reply; no request behind that is processed. */
  endAfter(exchange: Exchange): void {
    this.ending = true;
    const { response } = exchange;
    if (!response.headersSent) exchange.last = true;
    else if (response.writableFinished) this.endSoon();
    else {
      response.once('finish', () => {
        this.endSoon();
      });
    }
  }

  /** Has nothing more of the connection read. */
  stopReading(): void {
    this.deaf = true;
    this.socket.pause();
  }

  /** Ends the connection: at once for writing, later for reading, so that the client can read the reply. */
  endSoon(): void {
    const { socket } = this;
    socket.end();
    const end = setTimeout(() => socket.destroy(), DEADLINE.linger);
    socket.once('close', () => {
      clearTimeout(end);
    });
  }

  /**
   * Calls back when the requests that came whole are answered, if the one that did not is not answered too: such an
   * answer, given before the request was read, is the last one of its connection.
   */
  afterWhole(callback: () => void): void {
    if (this.exchanges.some(({ request, response }) => !request.complete && response.headersSent)) return;
    const whole = this.exchanges.findLast(({ request, response }) => request.complete && !response.writableFinished);
    if (whole === undefined) callback();
    else {
      // Behind Node's own listener, which was there first, and begins with the reply behind this one.
      whole.response.once('finish', () => {
        this.afterWhole(callback);
      });
    }
  }

  /** Whether a body or a reply has got on since it was asked last, or need not. */
  gotOn(): boolean {
    const { phase, socket, progress } = this;
    this.progress = undefined;
    if (phase === 'body') this.progress = socket.bytesRead;
    // What waits for a turn of the service is not the client's to take yet.
    if (phase === 'replying' && socket.writableLength > 0) this.progress = socket.bytesWritten - socket.writableLength;
    return this.progress === undefined || this.progress !== progress;
  }

  /**
   * Has Node's parser leave what nothing will be done with. It would report each chunk and each request of what it has
   * read, some ten thousand, although the connection was ended or cut off by the first of them. Its callback for a head
   * alone can stop it, which is not documented: 2 is the end of HTTP on this connection.
   */
  private steerParser(): void {
    const { socket } = this;
    // Node's own listener, which was there first, has made it.
    const { parser } = socket as Socket & { readonly parser: Parser };
    const onIncoming = parser.onIncoming;
    parser.onIncoming = (head, keep) => {
      const isProcessed = () => !this.deaf && !socket.destroyed;
      if (!this.ending && isProcessed()) {
        const next = onIncoming(head, keep);
        if (isProcessed()) return next;
      }
      // Otherwise Node would look for another protocol behind.
      head.upgrade = false;
      return 2;
    };
  }
}

/** What Node calls with the head of a request; undocumented. */
interface Parser {
  onIncoming: (head: IncomingMessage & { upgrade?: boolean }, keep: boolean) => number;
}

/** The ledger: what each connection costs. Every bound is read from it. */
export class Connections<E extends Exchange = Exchange> {
  /** Whether the service is stopping: requests that still come are the last ones of their connections. */
  stopping = false;
  private readonly create: new (parts: ExchangeParts) => E;
  private readonly logger: Logger;
  private readonly onCutOff: OnCutOff | undefined;
  private readonly open = new Map<Socket, Connection>();
  private readonly pipelined = new Share(MAX.pipelined);
  private readonly underWay = new Share(MAX.underWay);
  /** How many requests of callers are under way, by their keys. */
  private readonly callers = new Map<string, Holder>();
  /** Until when callers may send no chunks, by their keys. */
  private readonly wasteful = new Map<string, number>();
  private readonly held: Exchange['held'] = { body: 0, reply: 0 };
  private readonly queue: (() => void)[] = [];
  private turn: NodeJS.Immediate | undefined;

  constructor(create: new (parts: ExchangeParts) => E, logger: Logger, onCutOff?: OnCutOff) {
    this.create = create;
    this.logger = logger;
    this.onCutOff = onCutOff;
  }

  /** The connections that are open. */
  all(): readonly Connection[] {
    return [...this.open.values()];
  }

  of(socket: Socket): Connection | undefined {
    return this.open.get(socket);
  }

  add(socket: Socket): void {
    const connection = new Connection(socket);
    this.open.set(socket, connection);
    socket.once('close', () => {
      this.open.delete(socket);
      // Node closes the reply that is being sent, not those behind it.
      while (connection.exchanges[0] !== undefined) this.end(connection.exchanges[0]);
    });
    if (this.open.size > MAX.connections) this.cutOffStalest();
  }

  /** Takes a request in; undefined: it is not processed. */
  begin(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): E | undefined {
    const connection = this.open.get(request.socket);
    if (connection === undefined) return undefined;
    const before = connection.exchanges.at(-1);
    if (before !== undefined && !this.pipelined.take(connection)) {
      this.report(connection, 'pipelined');
      connection.endAfter(before);
      connection.stopReading();
      return undefined;
    }
    const exchange = new this.create({ request, response, connection, ledger: this, expectsContinue });
    connection.begin(exchange);
    response.once('close', () => {
      this.end(exchange);
    });
    return exchange;
  }

  /** Whether there is room for the operation of an exchange; if so, `rest` gives it back. */
  work({ key }: Exchange): boolean {
    let holder = this.callers.get(key);
    if (holder === undefined) {
      if (this.callers.size > MAX.callers) {
        for (const [other, { count }] of this.callers) if (count === 0) this.callers.delete(other);
      }
      this.callers.set(key, (holder = { count: 0 }));
    }
    return this.underWay.take(holder);
  }

  rest({ key }: Exchange): void {
    const holder = this.callers.get(key);
    if (holder !== undefined) this.underWay.release(holder);
  }

  /** Remembers that the chunks of a body are mostly framing. */
  waste({ key }: Exchange): void {
    if (this.wasteful.size > MAX.callers) this.wasteful.clear();
    this.wasteful.set(key, performance.now() + DEADLINE.waste);
  }

  /** @throws Refusal if the body comes in chunks, and the caller's were mostly framing lately */
  refuseWaste({ key, request }: Exchange): void {
    if (request.headers['transfer-encoding'] === undefined) return;
    if (performance.now() < (this.wasteful.get(key) ?? 0)) throw wasted;
  }

  hold(exchange: Exchange, kind: keyof Exchange['held'], bytes: number): void {
    const more = exchange.ended ? 0 : bytes - exchange.held[kind];
    exchange.held[kind] += more;
    this.held[kind] += more;
    if (more > 0 && this.held[kind] > ROOM[kind]) this.free(kind);
  }

  /** Does something that can wait, in a turn of the event loop that has time for it. */
  later(work: () => void): void {
    this.queue.push(work);
    this.turn ??= setImmediate(this.workOff);
  }

  /** Cuts off a connection, and logs why. */
  cutOff(connection: Connection, reason: keyof typeof REASONS): void {
    if (connection.socket.destroyed) return;
    this.report(connection, reason);
    connection.socket.destroy();
    for (const exchange of connection.exchanges) this.hold(exchange, 'reply', 0);
  }

  /** Calls back for each connection whose body or reply has not got on for too long. */
  sweep(onStalled: (connection: Connection) => void): void {
    const now = performance.now();
    for (const connection of this.open.values()) {
      if (connection.gotOn()) {
        if (connection.progress !== undefined) connection.progressAt = now;
      } else if (now - connection.progressAt > DEADLINE.progress) onStalled(connection);
    }
  }

  private readonly workOff = (): void => {
    this.turn = undefined;
    const until = performance.now() + DEADLINE.turn;
    do this.queue.shift()?.();
    while (this.queue.length > 0 && performance.now() < until);
    if (this.queue.length > 0) this.turn ??= setImmediate(this.workOff);
  };

  /** Has those give way that hold most: the caller with most bytes of bodies, the connection with most of replies. */
  private free(kind: keyof Exchange['held']): void {
    const exchanges = this.all().flatMap((connection) => connection.exchanges.filter(({ held }) => held[kind] > 0));
    const holders = Map.groupBy(exchanges, ({ key, connection }) => (kind === 'body' ? key : connection));
    const sum = (held: readonly Exchange[]) => held.reduce((bytes, exchange) => bytes + exchange.held[kind], 0);
    for (const held of [...holders.values()].sort((one, other) => sum(other) - sum(one))) {
      for (const exchange of held.sort((one, other) => other.held[kind] - one.held[kind])) {
        if (this.held[kind] <= ROOM[kind] * LEFT) return;
        if (kind === 'body') exchange.onGiveWay?.();
        else this.cutOff(exchange.connection, 'unsent');
      }
    }
  }

  /** Those between requests first. */
  private cutOffStalest(): void {
    const rank = ({ phase }: Connection) => (phase === 'idle' || phase === 'head' ? 0 : 1);
    const stale = this.all().filter(({ phase }) => phase !== 'working');
    stale.sort((one, other) => rank(one) - rank(other) || one.progressAt - other.progressAt);
    const most = this.open.size - MAX.connections * LEFT_CONNECTIONS;
    for (const connection of stale.slice(0, most)) this.cutOff(connection, 'connections');
  }

  private report({ address, phase, exchanges }: Connection, reason: keyof typeof REASONS): void {
    const { name, subject } = exchanges.find(({ caller }) => caller !== undefined)?.caller ?? {};
    this.logger.warn({ client: address, caller: name, subject, phase, reason: REASONS[reason] }, 'connection cut off');
    this.onCutOff?.(reason);
  }

  private end(exchange: Exchange): void {
    if (exchange.ended) return;
    const { exchanges } = exchange.connection;
    if (exchanges.at(-1) === exchange) exchanges.pop();
    else exchanges.splice(exchanges.indexOf(exchange), 1);
    if (exchange.pipelined) this.pipelined.release(exchange.connection);
    if (exchange.held.body > 0) this.hold(exchange, 'body', 0);
    if (exchange.held.reply > 0) this.hold(exchange, 'reply', 0);
    exchange.ended = true;
    exchange.onEnd?.();
  }
}

/** What shares a room, and how much of it that holds. */
interface Holder {
  count: number;
}

/**
 * Room for some number of things, which holders share. When it is full, those that hold no less than the average get no
 * more; a quarter beyond is kept for the others.
 */
class Share {
  private readonly most: number;
  private used = 0;
  private holders = 0;

  constructor(most: number) {
    this.most = most;
  }

  take(holder: Holder): boolean {
    const { used, most, holders } = this;
    if (used >= most && (holder.count * holders >= used || used >= most * 1.25)) return false;
    this.used++;
    if (holder.count++ === 0) this.holders++;
    return true;
  }

  release(holder: Holder): void {
    this.used--;
    if (--holder.count === 0) this.holders--;
  }
}
