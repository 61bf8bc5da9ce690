import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findBrowser, NO_BROWSER, startBrowser } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { describeWith } from '../support/skipping.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** Tests that need a browser. */
export function describeInBrowser(name: string, tests: () => void): void {
  describeWith(findBrowser() === undefined ? NO_BROWSER : undefined, name, tests);
}

/** What tests share: a browser and the service, each as processes. */
export interface Stage {
  readonly browser: Browser;
  readonly service: Service;
  /** The service's DATABASE_URL. */
  readonly database: string;
}

/** Has the stage set before the tests of a group, and cleared after them; returns what gives it to a test. */
export function setStage(): () => Stage {
  let stage: Stage | undefined;
  beforeAll(async () => {
    const database = `sqlite:${join(temporaryFolder(), 'plants.db')}`;
    const [browser, service] = await Promise.all([startBrowser(), startService({ DATABASE_URL: database })]);
    stage = { browser, service, database };
  });
  afterAll(async () => {
    await stage?.browser.close();
    await stage?.service.stop();
  });
  return () => {
    if (stage === undefined) throw new Error('the stage is set when the tests begin');
    return stage;
  };
}
