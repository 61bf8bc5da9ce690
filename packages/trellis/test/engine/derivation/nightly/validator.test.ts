import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadContract } from '../../../../../contract/src/load.ts';
import { ROOT } from '../../../support/service.ts';
import { agreementOn } from './verdicts.ts';

describe('an implementation of JSON Schema', () => {
  test.each([
    ['packages/trellis/test/services/items/openapi.yaml', 500],
    ['packages/trellis/test/services/garden/openapi.yaml', 2_000],
  ])(
    'the service accepts and refuses messages derived from a contract as an implementation of JSON Schema does: %s',
    async (path, least) => {
      const { wrong, counts } = await agreementOn(await loadContract(readFileSync(join(ROOT, path), 'utf8')));
      expect(wrong).toEqual([]);
      expect(counts.kept).toBeGreaterThan(least);
      expect(counts.refused).toBeGreaterThan(least);
    },
  );
});
