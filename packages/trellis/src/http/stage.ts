import type { Context } from './context.ts';

/**
 * A stage of a request: it gets what the stage before it has made. It returns a promise only if it must wait: Node parses
 * nothing more of a request that is refused at once.
 */
export type Stage<Given, Made> = (context: Context, given: Given) => Promise<Made> | Made;

/** Stages in their order: the compiler holds each to what the one before makes. */
export class Way<Made> {
  /** Each takes what it is given from the context, and leaves there what it makes. */
  readonly stages: readonly ((context: Context) => Promise<void> | void)[];

  constructor(stages: Way<Made>['stages'] = []) {
    this.stages = stages;
  }

  next<Next>(stage: Stage<Made, Next>): Way<Next> {
    const take = (context: Context) => {
      const made = stage(context, context.handed as Made);
      if (made instanceof Promise) return made.then((next) => leave(context, next));
      leave(context, made);
      return undefined;
    };
    return new Way<Next>([...this.stages, take]);
  }
}

function leave(context: Context, made: unknown): void {
  context.handed = made;
}
