import { describe, test } from '@jest/globals';
import { expectToFollow } from './drill.ts';
import { LED } from './led.ts';

describe('the compiler says what the code has to do about', () => {
  test.each(LED)('$change: $follows', expectToFollow);
});
