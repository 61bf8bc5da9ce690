import { test } from '@jest/globals';
import { expectToFollow } from './drill.ts';
import { LED } from './led.ts';

test.each(Object.entries(LED))('the compiler says what the code has to do about %s', (_name, change) =>
  expectToFollow(change),
);
