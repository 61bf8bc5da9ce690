import type { Context } from './context.ts';

/**
 * A stage of a request: it gets what the stage before it has made. It returns a promise only if it must wait: Node parses
 * nothing more of a request that is refused at once.
 */
export type Stage<Given, Made> = (context: Context, given: Given) => Promise<Made> | Made;

/** Stages in their order: the compiler holds each to what the one before makes. */
export class Way<Made> {
  readonly stages: readonly Stage<unknown, unknown>[];

  constructor(stages: Way<Made>['stages'] = []) {
    this.stages = stages;
  }

  next<Next>(stage: Stage<Made, Next>): Way<Next> {
    return new Way<Next>([...this.stages, stage as Stage<unknown, unknown>]);
  }
}
