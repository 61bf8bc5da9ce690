import { describe, expect, test } from '@jest/globals';
import { credentialsIn } from '../../../src/auth/caller.ts';

describe('credentialsIn, for a header with a name that each object inherits,', () => {
  const read = credentialsIn(['Constructor']);

  test('finds no token when the client sends none', () => {
    expect(read({})).toBeUndefined();
  });

  test('finds the token that the client sends', () => {
    expect(read(Object.fromEntries([['constructor', 'secret']]))).toBe('Bearer secret');
  });
});

test('credentialsIn reads Authorization without a token as a token that is not valid', () => {
  const read = credentialsIn(['Authorization', 'X-Key']);
  expect([read({ authorization: 'Bearer' }), read({ authorization: 'Basic eDp5' }), read({})]).toEqual([
    'Bearer',
    undefined,
    undefined,
  ]);
});
