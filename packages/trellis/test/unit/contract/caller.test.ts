import { describe, expect, test } from '@jest/globals';
import { credentialsIn } from '../../../src/contract/caller.ts';

describe('credentialsIn finds in a header that has a name of every object', () => {
  const read = credentialsIn(['Constructor']);

  test('no token that no client has sent', () => {
    expect(read({})).toBeUndefined();
  });

  test('the token that a client has sent', () => {
    expect(read(Object.fromEntries([['constructor', 'secret']]))).toBe('Bearer secret');
  });
});
