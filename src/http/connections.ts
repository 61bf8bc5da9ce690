import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import { MAX_BODY_BYTES } from '../contract/request.ts';

const [SECOND, KIB, MIB] = [1000, 1024, 1024 * 1024];

/**
 * What clients can make the process hold, and for how long. These bounds keep a service with a heap of 400 MB alive,
 * whatever clients do; README, section Overload, has the same table.
 */
export const MAX = {
  /** Connections. One that is idle takes some 10 KB. Beyond, those without progress for longest are cut off. */
  connections: 10_240,
  /** Header fields of a request; Node keeps each as two strings, and refuses more with 431. */
  fields: 200,
  /** Bytes of the header fields of a request; Node refuses more with 431. */
  headBytes: 16 * KIB,
  /** Bytes of a body, as sent and after decompression. More are refused with 400. */
  bodyBytes: MAX_BODY_BYTES,
  /** Bytes of chunk framing beyond twice the body's own: a small chunk costs the processor what a large one does. */
  framingBytes: 16 * KIB,
  /** Callers that are remembered for such framing. */
  wasteful: 1000,
  /** Bytes of all bodies that are on their way, as allocated. Beyond, the caller that holds most of them gives way. */
  bodies: 32 * MIB,
  /** Requests whose operation works: at some 30 µs of the processor each, the last one waits for 60 ms. */
  underWay: 2048,
  /**
   * Requests that wait behind others on their connections: Node reads up to 2 MB of them at a time. Beyond, a connection
   * ends with those that it has waiting, as to drop them costs no less, and from then on half as many may wait on one.
   */
  pipelined: 2048,
  /** Bytes of replies that clients have not taken. Beyond, the connection that holds most of them is cut off. */
  unsent: 32 * MIB,
} as const;

/** How long each phase of a connection can last, in milliseconds; what an operation may take is its own affair. */
export const DEADLINE = {
  /** For the head of a request. */
  head: 10 * SECOND,
  /** For a request, head and body. */
  request: 30 * SECOND,
  /** Without a byte of the body, or without the client taking a byte of the reply. */
  progress: 10 * SECOND,
  /** Between requests: longer than proxies commonly keep a connection that they may use again. */
  idle: 65 * SECOND,
  /** For what can wait, in one turn of the event loop: Node accepts a single connection in each. */
  turn: 0.2,
  /** After the reply that ends a connection, for the client to read it. */
  linger: 500,
  /** Until a caller may send chunks again, most of which were framing: to find that out takes 10 ms of the processor. */
  waste: 10 * SECOND,
  /** Until as many requests may wait on a connection again as before one was cut off for that. */
  patience: 10 * SECOND,
} as const;

const ROOM: Readonly<Exchange['held']> = { body: MAX.bodies, reply: MAX.unsent };

/** What is left of a bound when much gives way at once: the search for what holds most takes long, and must be rare. */
const [LEFT, LEFT_CONNECTIONS] = [0.875, 0.99];

export type Phase = 'idle' | 'head' | 'body' | 'working' | 'replying';

/** Called when a connection is cut off, with the reason. */
export type OnCutOff = (reason: keyof typeof REASONS) => void;

/** Why connections are cut off: by the name in the metrics, what the log says. */
export const REASONS = {
  connections: `there are more than ${MAX.connections.toLocaleString('en')} connections, and it made no progress for longest`,
  pipelined: 'too many requests wait behind others: it ends with those that it has waiting',
  unsent: 'too many bytes of replies wait for clients, and it has most of them',
  unread: `the client took nothing of its reply for ${String(DEADLINE.progress / SECOND)} s`,
} as const;

const wasted = new Refusal(
  ErrorNumber.storeUnavailable,
  'the service is busy, try again',
  { 'Retry-After': String(DEADLINE.waste / SECOND) },
  'the caller has sent a body of small chunks, and may send no chunks for a while',
);

/** A request and its reply, with what the process holds for them. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  /** Whether the client sends the body only when it is asked to (RFC 9110, section 10.1.1). */
  readonly expectsContinue: boolean;
  /** The key of its caller, '' until that is known. */
  caller = '';
  /** Whether it is the last of its connection (RFC 9112, section 9.6). */
  last = false;
  /** Called once, when the reply is out or the client is gone. */
  onEnd: (() => void) | undefined;
  /** Called when the body has to give way to others. */
  onGiveWay: (() => void) | undefined;
  /** Whether it came before the reply to the request before it was out. */
  readonly pipelined: boolean;
  /** Bytes of the body, as allocated, and of the reply as far as it is this exchange's own, until it is out. */
  readonly held = { body: 0, reply: 0 };
  private readonly ledger: Connections;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
    ledger: Connections,
    expectsContinue: boolean,
  ) {
    this.request = request;
    this.response = response;
    this.connection = connection;
    this.ledger = ledger;
    this.expectsContinue = expectsContinue;
    this.pipelined = connection.exchanges.length > 0;
  }

  hold(kind: keyof Exchange['held'], bytes: number): void {
    this.ledger.hold(this, kind, bytes);
  }

  /** Whether there is room for its operation to work; if so, `rest` gives it back. */
  work(): boolean {
    return this.ledger.underWay.take(this.caller);
  }

  rest(): void {
    this.ledger.underWay.release(this.caller);
  }

  /** Does something that can wait, in a turn of the event loop that has time for it. */
  later(work: () => void): void {
    this.ledger.later(work);
  }

  /** Remembers that the chunks of its body are mostly framing. */
  waste(): void {
    this.ledger.wasteful.set(this.caller, performance.now() + DEADLINE.waste);
    if (this.ledger.wasteful.size > MAX.wasteful) this.ledger.wasteful.clear();
  }

  /** @throws Refusal if the body comes in chunks, and the caller's were mostly framing lately */
  refuseWaste(): void {
    if (this.request.headers['transfer-encoding'] === undefined) return;
    if (performance.now() < (this.ledger.wasteful.get(this.caller) ?? 0)) throw wasted;
  }
}

/** A connection, with what is under way on it. */
export class Connection {
  readonly socket: Socket;
  /** The address of the peer, which a socket forgets when it is closed. */
  readonly address: string | undefined;
  /** What is under way, in the order of the requests. */
  readonly exchanges: Exchange[] = [];
  /** When the last request came, on the clock of `performance.now()`; before the first one, when it was opened. */
  activeAt = performance.now();
  /** Whether a head has arrived. */
  begun = false;
  /** Whether Node could not read what came. */
  unreadable = false;
  /** Whether its last request has come, so that those behind are not processed, */
  private ending = false;
  /** and whether not even the rest of that one is wanted. */
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

  /** Has the connection end with the reply to this request, or with that of its last one. False: that is on its way. */
  endAfter(exchange = this.exchanges.at(-1)): boolean {
    if (exchange === undefined || exchange.response.headersSent) return false;
    exchange.last = true;
    this.ending = true;
    return true;
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
    else
      whole.response.once('finish', () => {
        this.afterWhole(callback);
      });
  }

  /**
   * Has Node's parser leave what nothing will be done with. It would report each chunk and each request of what it has
   * read, some ten thousand, although the connection was ended or cut off by the first of them. Its callback for a head
   * alone can stop it, which is not documented: 2 is the end of HTTP on this connection.
   */
  private steerParser(): void {
    const { socket } = this;
    const { parser } = socket as Socket & { readonly parser?: Parser };
    if (parser === undefined) return;
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
export class Connections {
  readonly underWay = new Share(MAX.underWay);
  /** Until when callers may send no chunks, by their keys. */
  readonly wasteful = new Map<string, number>();
  /** Whether the service is stopping: what is under way is answered then, and nothing is cut off. */
  stopping = false;
  private readonly logger: Logger;
  private readonly onCutOff: OnCutOff | undefined;
  private readonly open = new Map<Socket, Connection>();
  /** How many requests may wait on one connection, and when it is the most again. */
  private patience: number = MAX.pipelined;
  private patientAt = 0;
  private readonly held: Exchange['held'] = { body: 0, reply: 0 };
  private readonly queue: (() => void)[] = [];
  private turn: NodeJS.Immediate | undefined;

  constructor(logger: Logger, onCutOff?: OnCutOff) {
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
  begin(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): Exchange | undefined {
    const connection = this.open.get(request.socket);
    if (connection === undefined) return undefined;
    connection.activeAt = performance.now();
    connection.begun = true;
    const { length: ahead } = connection.exchanges;
    if (connection.activeAt >= this.patientAt) this.patience = MAX.pipelined;
    if (ahead > this.patience || (ahead > 0 && this.queue.length >= MAX.pipelined)) {
      this.patience = Math.ceil(this.patience / 2);
      this.patientAt = connection.activeAt + DEADLINE.patience;
      this.cutOff(connection, 'pipelined');
      return undefined;
    }
    const exchange = new Exchange(request, response, connection, this, expectsContinue);
    connection.exchanges.push(exchange);
    response.once('close', () => {
      this.end(exchange);
    });
    return exchange;
  }

  /** Cuts a connection off, and logs why: at once, or behind the requests that it has waiting. */
  cutOff(connection: Connection, reason: keyof typeof REASONS): void {
    const { socket, address, phase, exchanges } = connection;
    if (socket.destroyed) return;
    const caller = exchanges.find((exchange) => exchange.caller !== '')?.caller;
    this.logger.warn({ client: address, caller, phase, reason: REASONS[reason] }, 'connection cut off');
    this.onCutOff?.(reason);
    if (reason === 'pipelined' && connection.endAfter()) return;
    socket.destroy();
    for (const exchange of exchanges) exchange.hold('reply', 0);
  }

  hold(exchange: Exchange, kind: keyof Exchange['held'], bytes: number): void {
    const more = bytes - exchange.held[kind];
    exchange.held[kind] = bytes;
    this.held[kind] += more;
    if (more > 0 && this.held[kind] > ROOM[kind]) this.free(kind);
  }

  later(work: () => void): void {
    this.queue.push(work);
    this.turn ??= setImmediate(this.workOff);
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
    const holders = Map.groupBy(exchanges, ({ caller, connection }) => (kind === 'body' ? caller : connection));
    const sum = (held: readonly Exchange[]) => held.reduce((bytes, exchange) => bytes + exchange.held[kind], 0);
    for (const held of [...holders.values()].sort((one, other) => sum(other) - sum(one))) {
      for (const exchange of held.sort((one, other) => other.held[kind] - one.held[kind])) {
        if (this.held[kind] <= ROOM[kind] * LEFT) return;
        if (kind === 'body') exchange.onGiveWay?.();
        else this.cutOff(exchange.connection, 'unsent');
      }
    }
  }

  private cutOffStalest(): void {
    const stale = this.all().filter(({ phase }) => phase !== 'working');
    stale.sort((one, other) => one.activeAt - other.activeAt);
    const most = this.open.size - MAX.connections * LEFT_CONNECTIONS;
    for (const connection of stale.slice(0, most)) this.cutOff(connection, 'connections');
  }

  private end(exchange: Exchange): void {
    const { connection, onEnd } = exchange;
    if (!connection.exchanges.includes(exchange)) return;
    if (connection.exchanges.at(-1) === exchange) connection.exchanges.pop();
    else connection.exchanges.splice(connection.exchanges.indexOf(exchange), 1);
    if (exchange.held.body > 0) exchange.hold('body', 0);
    if (exchange.held.reply > 0) exchange.hold('reply', 0);
    onEnd?.();
  }
}

/**
 * Room for some number of things, which callers share. When it is full, those that hold no less than the average get no
 * more; a quarter beyond is kept for the others.
 */
class Share {
  private readonly most: number;
  /** How much callers hold, by their keys; those that hold nothing are forgotten when there are many. */
  private readonly held = new Map<string, { count: number }>();
  private used = 0;
  private holders = 0;

  constructor(most: number) {
    this.most = most;
  }

  take(holder: string): boolean {
    let held = this.held.get(holder);
    if (held === undefined) {
      if (this.held.size > 2 * this.most)
        for (const [key, { count }] of this.held) if (count === 0) this.held.delete(key);
      this.held.set(holder, (held = { count: 0 }));
    }
    const { used, most } = this;
    if (used >= most && (held.count * this.holders >= used || used >= most * 1.25)) return false;
    this.used++;
    if (held.count++ === 0) this.holders++;
    return true;
  }

  release(holder: string): void {
    const held = this.held.get(holder);
    if (held === undefined) return;
    this.used--;
    if (--held.count === 0) this.holders--;
  }
}
