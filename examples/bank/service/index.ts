import type { ErrorNumber, operations } from '../generated/openapi.ts';
import type { Service } from 'trellis';
import { closeAccount } from './closeAccount.ts';
import { getAccount } from './getAccount.ts';
import { getTransfer } from './getTransfer.ts';
import { listAccounts } from './listAccounts.ts';
import { listCurrencies } from './listCurrencies.ts';
import { listTransfers } from './listTransfers.ts';
import { openAccount } from './openAccount.ts';
import { resources } from './resources.ts';
import { settings } from './settings.ts';
import { steps } from './steps.ts';
import { tables } from './tables.ts';
import { transfer } from './transfer.ts';
import { updateAccount } from './updateAccount.ts';

/** The bank. The compiler names each operation that is missing or that the contract does not declare. */
export const bank = {
  name: 'bank',
  marker: 'bank',
  contract: new URL('../openapi.yaml', import.meta.url),
  tables,
  steps,
  settings,
  resources,
  operations: {
    closeAccount,
    getAccount,
    getTransfer,
    listAccounts,
    listCurrencies,
    listTransfers,
    openAccount,
    transfer,
    updateAccount,
  },
  // No transfers: an import does not keep the order of its records, and money must be there before it moves.
  records: { accounts: 'openAccount' },
} satisfies Service<operations, typeof tables, ErrorNumber, typeof settings, typeof resources>;
