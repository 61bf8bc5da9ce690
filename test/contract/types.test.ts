import { test } from '@jest/globals';
import { expectGenerated } from '../support/generated.ts';

test('the types that types.check.ts compiles with are those of types.yaml', async () => {
  await expectGenerated(import.meta.dirname, 'types.yaml');
});
