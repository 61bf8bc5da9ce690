import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { busy } from 'trellis-contract/ground';
import { DEADLINE, MAX, REASONS } from './bounds.ts';
import { Connection, type Exchange } from './connection.ts';

const ROOM: Readonly<Exchange['held']> = { body: MAX.bodies, reply: MAX.unsent };

/**
 * To make room, the ledger frees memory, or ends connections, down to these fractions of the bound, because the search
 * for the largest holder is slow.
 */
const LEFT = 0.875;
const LEFT_CONNECTIONS = 0.99;

export type OnCutOff = (reason: keyof typeof REASONS) => void;

const noRoom = busy('replies that clients have not taken yet leave no memory for this one');
const tooSmallChunks = busy(
  'the caller sent a body in small chunks: its chunked bodies are refused for a while',
  DEADLINE.smallChunks / 1000,
);

/** Counts what each connection costs. Every bound is checked here. */
export class Ledger {
  /** Whether the service is stopping: each connection ends after its next request. */
  stopping = false;
  readonly logger: Logger;
  private readonly onCutOff: OnCutOff | undefined;
  private readonly connections: number;
  /** The connections by socket, which is a Duplex because Node's event `clientError` gives it that type. */
  private readonly open = new Map<Duplex, Connection>();
  private readonly pipelined = new Share(MAX.pipelined);
  private readonly underWay = new Share(MAX.underWay);
  /** Requests under way, by the caller's key. */
  private readonly callers = new Map<string, Shareholder>();
  /** Maps the key of a caller to the time until which the service refuses its chunked bodies. */
  private readonly smallChunks = new Map<string, number>();
  private readonly held: Exchange['held'] = { body: 0, reply: 0 };
  private readonly queue: (() => void)[] = [];
  private turn: NodeJS.Immediate | undefined;

  constructor(logger: Logger, onCutOff?: OnCutOff, connections: number = MAX.connections) {
    this.logger = logger;
    this.onCutOff = onCutOff;
    this.connections = connections;
  }

  all(): readonly Connection[] {
    return [...this.open.values()];
  }

  get size(): number {
    return this.open.size;
  }

  of(socket: Duplex): Connection | undefined {
    return this.open.get(socket);
  }

  add(socket: Socket): void {
    const connection = new Connection(socket);
    this.open.set(socket, connection);
    socket.once('close', () => {
      this.open.delete(socket);
      // Node emits `close` only for the reply that it is sending, not for those queued after it.
      while (connection.exchanges[0] !== undefined) this.end(connection.exchanges[0]);
    });
    if (this.open.size > this.connections) this.cutOffStalest();
  }

  /** @returns the connection of a request; undefined if the request is not to be processed */
  admit({ socket }: IncomingMessage): Connection | undefined {
    const connection = this.open.get(socket);
    const before = connection?.exchanges.at(-1);
    if (connection === undefined || before === undefined || this.pipelined.take(connection)) return connection;
    this.report(connection, 'pipelined');
    connection.endAfter(before);
    connection.stopReading();
    return undefined;
  }

  begin(exchange: Exchange): void {
    exchange.connection.begin(exchange);
    exchange.response.on('close', () => this.end(exchange));
  }

  /** @returns whether the operation may run; if so, `releaseSlots` must be called after it */
  takeSlots({ key, slots }: Pick<Exchange, 'key' | 'slots'>): boolean {
    if (this.callers.size > MAX.callers) {
      for (const [other, { count }] of this.callers) if (count === 0) this.callers.delete(other);
    }
    const holder = this.callers.getOrInsertComputed(key, () => ({ count: 0 }));
    return this.underWay.take(holder, slots);
  }

  releaseSlots({ key, slots }: Pick<Exchange, 'key' | 'slots'>): void {
    const holder = this.callers.get(key);
    if (holder !== undefined) this.underWay.release(holder, slots);
  }

  noteSmallChunks({ key }: Exchange): void {
    if (this.smallChunks.size > MAX.callers) this.smallChunks.clear();
    this.smallChunks.set(key, performance.now() + DEADLINE.smallChunks);
  }

  /** @throws Refusal if the body is chunked, and its caller has sent small chunks within DEADLINE.smallChunks */
  refuseSmallChunks({ key, request }: Exchange): void {
    if (request.headers['transfer-encoding'] === undefined) return;
    if (performance.now() < (this.smallChunks.get(key) ?? 0)) throw tooSmallChunks;
  }

  /**
   * If replies hold too much memory, cuts off clients that have taken too long for theirs.
   *
   * @throws Refusal if that frees too little: a client that takes its reply gets all of it
   */
  makeRoom(bytes: number): void {
    const most = MAX.unsent - bytes;
    const before = performance.now() - DEADLINE.room;
    if (this.held.reply > most) this.free('reply', most, ({ repliedAt }) => repliedAt < before);
    if (this.held.reply > most) throw noRoom;
  }

  setHeld(exchange: Exchange, kind: keyof Exchange['held'], bytes: number): void {
    const more = exchange.ended ? 0 : bytes - exchange.held[kind];
    exchange.held[kind] += more;
    this.held[kind] += more;
    if (more > 0 && this.held[kind] > ROOM[kind]) this.free(kind, ROOM[kind] * LEFT);
  }

  /** Queues work that may wait: each turn of the event loop does some of it. */
  later(work: () => void): void {
    this.queue.push(work);
    this.turn ??= setImmediate(this.workOff);
  }

  cutOff(connection: Connection, reason: keyof typeof REASONS): void {
    if (connection.socket.destroyed) return;
    this.report(connection, reason);
    connection.socket.destroy();
    for (const exchange of connection.exchanges) this.setHeld(exchange, 'reply', 0);
  }

  private readonly workOff = (): void => {
    this.turn = undefined;
    const until = performance.now() + DEADLINE.turn;
    do this.queue.shift()?.();
    while (this.queue.length > 0 && performance.now() < until);
    if (this.queue.length > 0) this.turn ??= setImmediate(this.workOff);
  };

  /** Frees memory, the largest holder first: bodies are summed up by caller, replies by connection. */
  private free(kind: keyof Exchange['held'], most: number, mayGive = (_each: Exchange): boolean => true): void {
    const exchanges = this.all()
      .flatMap((connection) => connection.exchanges)
      .filter((each) => each.held[kind] > 0 && mayGive(each));
    const holders = Map.groupBy(exchanges, ({ key, connection }) => (kind === 'body' ? key : connection));
    const sum = (held: readonly Exchange[]) => held.reduce((bytes, exchange) => bytes + exchange.held[kind], 0);
    for (const held of [...holders.values()].sort((one, other) => sum(other) - sum(one))) {
      for (const exchange of held.sort((one, other) => other.held[kind] - one.held[kind])) {
        if (this.held[kind] <= most) return;
        if (kind === 'body') exchange.body?.shed();
        else this.cutOff(exchange.connection, 'unsent');
      }
    }
  }

  /** Connections that wait for a request go first, then those longest without progress. */
  private cutOffStalest(): void {
    const rank = ({ phase }: Connection) => (phase === 'idle' || phase === 'head' ? 0 : 1);
    const stale = this.all().filter(({ phase }) => phase !== 'working');
    stale.sort((one, other) => rank(one) - rank(other) || one.progressAt - other.progressAt);
    const most = this.open.size - this.connections * LEFT_CONNECTIONS;
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
    if (exchange.held.body > 0) this.setHeld(exchange, 'body', 0);
    if (exchange.held.reply > 0) this.setHeld(exchange, 'reply', 0);
    exchange.ended = true;
    exchange.onEnd?.();
  }
}

/** A caller or a connection, with the number of places that it takes. */
interface Shareholder {
  count: number;
}

/** When all places are taken, this part of `max` is added, for holders that have fewer places than the average. */
const RESERVE = 0.25;

/**
 * Shares `max` places among holders. When all are taken, a holder with fewer than the average still gets one. The more
 * of the reserve is taken, the fewer it may have, so that many busy holders leave places for one that has none.
 */
class Share {
  private readonly max: number;
  private used = 0;
  private holders = 0;

  constructor(max: number) {
    this.max = max;
  }

  take(holder: Shareholder, places = 1): boolean {
    const { used, max, holders } = this;
    // Many places at once, as for bytes that are inflated, leave half of the reserve to holders that have none.
    if (places > 1 && used + places > max * (1 + RESERVE / 2)) return false;
    const left = 1 - (used / max - 1) / RESERVE;
    if (used >= max && holder.count * holders >= used * left) return false;
    this.used += places;
    if (holder.count === 0) this.holders++;
    holder.count += places;
    return true;
  }

  release(holder: Shareholder, places = 1): void {
    this.used -= places;
    holder.count -= places;
    if (holder.count === 0) this.holders--;
  }
}
