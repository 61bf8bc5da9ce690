import { fileURLToPath } from 'node:url';
import type { Program } from '../../../packages/trellis/test/support/service.ts';
import { bank } from '../service/index.ts';
import { Client, MAIN, withAccounts } from '../test/client.ts';

/** The bank, for the programs that test every service of this repository. */
export const BANK: Program = {
  service: bank,
  main: fileURLToPath(MAIN),
  path: '/accounts',
  conflict: 40911,
  scopes: ['bank:read', 'bank:write', 'bank:admin'],
  related: (operation, body, service) => withAccounts(operation, body, new Client(service)),
};
