import { test } from '@jest/globals';
import { expectToFollow } from './drill.ts';
import { FREE } from './free.ts';

test.each(Object.entries(FREE))('a change of the contract needs no code: %s', (_name, change) =>
  expectToFollow(change),
);
