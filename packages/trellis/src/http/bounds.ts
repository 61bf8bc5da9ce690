import { DEFAULT_BODY_BYTES, MAX_REPLY_BYTES } from 'trellis-contract';

const SECOND = 1000;
const KIB = 1024;
const MIB = 1024 * 1024;

/** Limits on the memory that clients can occupy in the process. Within these limits a heap of 400 MB is enough. */
export const MAX = {
  /** An idle connection takes about 10 KB. */
  connections: 10_240,
  /** Prometheus and the probes of an orchestrator need a few. */
  adminConnections: 64,
  fields: 200,
  headBytes: 16 * KIB,
  bodyBytes: DEFAULT_BODY_BYTES,
  /** Bytes of chunk framing beyond twice those of the body: a small chunk takes as much time as a large one. */
  framingBytes: 16 * KIB,
  /** Callers that the ledger remembers. */
  callers: 4096,
  /** Bytes allocated for all bodies that are still arriving. */
  bodies: 32 * MIB,
  /** Operations: each takes some 30 µs of the processor, so that all of them take 60 ms. */
  underWay: 2048,
  /** Requests that wait for an earlier one on the same connection: Node reads up to 2 MB of them at a time. */
  pipelined: 2048,
  /** Bytes of replies that clients have not taken. */
  unsent: 32 * MIB,
  /** Bytes of one reply. */
  reply: MAX_REPLY_BYTES,
} as const;

/** How long the parts of a request may take, in milliseconds. An operation has no deadline. */
export const DEADLINE = {
  head: 10 * SECOND,
  /** For head and body together. */
  request: 30 * SECOND,
  /** How long a client may send no byte of the body, or take no byte of the reply. */
  progress: 10 * SECOND,
  /** For the client to take a reply, while other replies need its memory. */
  room: 5 * SECOND,
  /** Between requests, unless IDLE_TIMEOUT is set: longer than proxies commonly keep an idle connection to reuse it. */
  idle: 65 * SECOND,
  /** How long a client may take to read the last reply of a connection. */
  linger: 500,
  /** For deferred work in each turn of the event loop: short, as Node accepts only one connection a turn. */
  turn: 0.05,
  /** How long chunked bodies are refused to a caller whose chunks were too small. */
  smallChunks: 10 * SECOND,
} as const;

/** Why a connection is cut off: the label in the metrics, the sentence in the log. */
export const REASONS = {
  connections: 'more connections are open than the service takes, and this one made no progress for the longest time',
  pipelined: 'too many pipelined requests wait: this connection ends after the requests accepted so far',
  unsent: 'clients leave too many bytes of replies unread, and this connection has the most',
  unread: `the client read nothing of its reply for ${DEADLINE.progress / SECOND} s`,
} as const;
