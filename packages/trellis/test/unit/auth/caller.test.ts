import { describe, expect, test } from '@jest/globals';
import { credentialsIn } from '../../../src/auth/caller.ts';

describe('credentialsIn', () => {
  const read = credentialsIn(['Constructor']);

  test('credentialsIn, for a header with a name that each object inherits, finds no token when the client sends none', () => {
    expect(read({})).toBeUndefined();
  });

  test('credentialsIn, for a header with a name that each object inherits, finds the token that the client sends', () => {
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
