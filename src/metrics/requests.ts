import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';
import type { Contract } from '../contract/contract.ts';
import { ErrorNumber, statusOf } from '../contract/errors.ts';
import type { OnCutOff, REASONS } from '../http/connections.ts';
import type { RequestObserver } from '../log.ts';
import type { Distribution } from './histogram.ts';
import { DURATIONS, KnownHistogram } from './histogram.ts';

/** The operation of what is outside the contract, and the status of what got no answer. */
const NONE = 'none';

/** What was counted of the requests to one operation. */
interface Tally {
  readonly statuses: Map<number | typeof NONE, number>;
  readonly durations: Distribution;
}

/**
 * What is counted of the requests: in numbers of our own, which prom-client gets when it is asked. Its own way, by a text
 * of the labels, takes ten times as long.
 */
export class RequestMetrics implements RequestObserver {
  private readonly tallies: ReadonlyMap<string, Tally>;
  private readonly outside: Tally;
  private readonly cutOffs = { connections: 0, pipelined: 0, unsent: 0, unread: 0 } satisfies Record<
    keyof typeof REASONS,
    number
  >;
  private underWay = 0;

  constructor({ operations }: Contract, registry: Registry) {
    const histogram = new KnownHistogram({
      name: 'plant_store_http_request_duration_seconds',
      help: 'From the head of a request until its answer is out, or its client is gone.',
      bounds: DURATIONS,
      registry,
    });
    const tally = (operation: string, statuses: readonly number[]): Tally => ({
      // What may be expected is there from the start: the first of what has not been 0 before is no increase.
      statuses: new Map(statuses.map((status) => [status, 0])),
      durations: histogram.add({ operation }),
    });
    const declared = operations.map(({ id, replies }) => {
      const statuses = [...replies.keys(), '500', '503'].filter((status) => status !== 'default').map(Number);
      return [id, tally(id, statuses)] as const;
    });
    this.outside = tally(NONE, Object.values(ErrorNumber).map(statusOf));
    this.tallies = new Map([...declared, [NONE, this.outside]]);
    this.expose(registry);
  }

  begun(): void {
    this.underWay++;
  }

  ended(operation: string | undefined, status: number | typeof NONE = NONE, ms: number): void {
    this.underWay--;
    const tally = this.tallies.get(operation ?? NONE) ?? this.outside;
    count(tally, status);
    tally.durations.observe(ms / 1000);
  }

  /** Node's parser refused something, which never became a request. */
  readonly unreadable = (status: number): void => {
    count(this.outside, status);
  };

  readonly cutOff: OnCutOff = (reason) => {
    this.cutOffs[reason]++;
  };

  private expose(registry: Registry): void {
    const { tallies } = this;
    new Counter({
      name: 'plant_store_http_requests_total',
      help: 'Requests by operation and status; none: outside the contract, and no answer.',
      labelNames: ['operation', 'status'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [operation, { statuses }] of tallies) {
          for (const [status, requests] of statuses) this.inc({ operation, status }, requests);
        }
      },
    });
    const { cutOffs } = this;
    new Counter({
      name: 'plant_store_connections_cut_off_total',
      help: 'Connections that were cut off, by the bound that they met.',
      labelNames: ['reason'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [reason, count] of Object.entries(cutOffs)) this.inc({ reason }, count);
      },
    });
    const underWay = () => this.underWay;
    new Gauge({
      name: 'plant_store_http_requests_in_flight',
      help: 'Requests whose head was read, and whose answer is not out.',
      registers: [registry],
      collect() {
        this.set(underWay());
      },
    });
  }
}

function count({ statuses }: Tally, status: number | typeof NONE): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}
