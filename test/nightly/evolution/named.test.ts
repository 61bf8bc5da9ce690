import { test } from '@jest/globals';
import { expectToFollow } from './drill.ts';
import { LED } from './led.ts';

test.each(Object.entries(LED))(
  'the compiler names the code that a change of the contract affects: %s',
  (_name, change) => expectToFollow(change),
);
