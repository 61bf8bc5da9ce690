import type { Overspent } from './budget.ts';
import { locationOf } from './document.ts';

/** Says where the work was spent, and what to change in the contract. */
export function explained({ at }: Overspent): string {
  return (
    `${locationOf(at)}: the schemas that apply here take more work than the length of the message allows: use fewer ` +
    'branches, patterns and checks for one value, or choose between branches by a discriminator'
  );
}
