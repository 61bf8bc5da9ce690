import { test } from '@jest/globals';
import { expectToFollow } from './drill.ts';
import { FREE } from './free.ts';

test.each(Object.entries(FREE))('no code has to follow from %s', (_name, change) => expectToFollow(change));
