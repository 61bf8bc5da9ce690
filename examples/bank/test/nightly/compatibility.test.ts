import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { compareContracts } from '../../../../packages/contract/tools/compatibility/compare.ts';
import { breaks } from '../../../../packages/contract/tools/compatibility/rules.ts';
import { loadContract } from '../../../../packages/contract/src/load.ts';
import { bank } from '../../service/index.ts';

const YAML = readFileSync(bank.contract, 'utf8');
const contract = await loadContract(bank.contract);

describe('the comparison of the contract of the bank with a changed one', () => {
  const changed = async (from: string, to: string) => {
    expect(YAML).toContain(from);
    return compareContracts(contract, await loadContract(YAML.replace(from, () => to)));
  };

  test.each([
    ['a smaller bound', 'maxLength: 140', 'maxLength: 100'],
    ['a higher scope', 'security: [{ bearerAuth: [bank:write] }]', 'security: [{ bearerAuth: [bank:admin] }]'],
    [
      'a member that is required now',
      'required: [id, from_account, to_account, amount]',
      'required: [id, from_account, to_account, amount, reference]',
    ],
    ['another meaning of a number', "'40919': The balance is less", "'40919': The balance may be less"],
  ])('finds that %s breaks clients', async (_what, from, to) => {
    expect((await changed(from, to)).some(breaks)).toBe(true);
  });

  test.each([
    ['another optional filter', '        closed: { type', '        opened: { type: boolean }\n        closed: { type'],
    ['a larger bound of a request', 'maximum: 100, default: 20', 'maximum: 200, default: 20'],
    ['another error number', "            '40920': ", "            '40921': The bank is closed\n            '40920': "],
  ])('finds that %s is compatible', async (_what, from, to) => {
    const differences = await changed(from, to);
    expect(differences.length).toBeGreaterThan(0);
    expect(differences.filter(breaks)).toEqual([]);
  });

  test('finds nothing without a change', () => {
    expect(compareContracts(contract, contract)).toEqual([]);
  });
});
