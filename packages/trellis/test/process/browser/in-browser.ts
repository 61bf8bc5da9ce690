import { findBrowser, NO_BROWSER } from '../../support/browser.ts';
import { describeWith } from '../../../../contract/test/support/skipping.ts';

export function describeInBrowser(name: string, tests: () => void): void {
  describeWith(findBrowser() === undefined ? NO_BROWSER : undefined, name, tests);
}
