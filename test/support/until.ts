import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until the answer is yes, with a pause in between. */
export async function until(question: () => boolean | Promise<boolean>, pauseMs = 20): Promise<void> {
  while (!(await question())) await sleep(pauseMs);
}
