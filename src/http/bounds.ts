import { DEFAULT_BODY_BYTES } from '../contract/body-limit.ts';

const [SECOND, KIB, MIB] = [1000, 1024, 1024 * 1024];

/**
 * What clients can make the process hold. These bounds keep a service with a heap of 400 MB alive; README, section
 * Overload, has the same table, with the items that wait to be stored: these are counted where they wait (batches.ts).
 */
export const MAX = {
  /** Connections. One that is idle takes some 10 KB. Beyond, those without progress for longest are cut off. */
  connections: 10_240,
  /** Header fields of a request; Node keeps each as two strings, and refuses more with 431. */
  fields: 200,
  /** Bytes of the header fields of a request; Node refuses more with 431. */
  headBytes: 16 * KIB,
  /** Bytes of a body, as sent and after decompression, unless its operation has another limit. More are refused with 400. */
  bodyBytes: DEFAULT_BODY_BYTES,
  /** Bytes of chunk framing beyond twice the body's own: a small chunk costs the processor what a large one does. */
  framingBytes: 16 * KIB,
  /** Callers that the ledger remembers: for their small chunks, and for what they have under way. */
  callers: 4096,
  /** Bytes of all bodies that are on their way, as allocated. Beyond, the caller that holds most of them gives way. */
  bodies: 32 * MIB,
  /**
   * Requests whose operation works: at some 30 µs of the processor each, the last one waits for 60 ms. A body of more than
   * `bodyBytes` counts as so many requests as they go into it.
   */
  underWay: 2048,
  /** Requests that wait behind others on their connections, as Node reads up to 2 MB of them at a time. */
  pipelined: 2048,
  /** Bytes of replies that clients have not taken. Beyond, the connection that holds most of them is cut off. */
  unsent: 32 * MIB,
} as const;

/** How long clients may take, and what they do may take, in milliseconds; an operation may take what it needs. */
export const DEADLINE = {
  /** For the head of a request. */
  head: 10 * SECOND,
  /** For a request, head and body. */
  request: 30 * SECOND,
  /** Without a byte of the body, or without the client taking a byte of the reply. */
  progress: 10 * SECOND,
  /** Between requests: longer than proxies commonly keep a connection that they may use again. */
  idle: 65 * SECOND,
  /** After the reply that ends a connection, for the client to read it. */
  linger: 500,
  /** For work that can wait, in each turn of the event loop: Node accepts one new connection a turn. */
  turn: 0.05,
  /** Until a caller whose chunks were mostly framing may send chunks again: to find that out takes 10 ms of the processor. */
  smallChunks: 10 * SECOND,
} as const;

/** Why connections are cut off: by the name in the metrics, what the log says. */
export const REASONS = {
  connections: `there are more than ${MAX.connections.toLocaleString('en')} connections, and it made no progress for longest`,
  pipelined: 'too many requests wait behind others: it ends with those that it has waiting',
  unsent: 'too many bytes of replies wait for clients, and it has most of them',
  unread: `the client took nothing of its reply for ${DEADLINE.progress / SECOND} s`,
} as const;
