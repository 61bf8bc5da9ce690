import { test } from '@jest/globals';
import { expectToFollow } from './drill.ts';
import { NAMED } from './named.ts';

test.each(Object.entries(NAMED))(
  'the compiler names the code that a change of the contract affects: %s',
  (_name, change) => expectToFollow(change),
);
