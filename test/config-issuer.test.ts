import { expect, test } from '@jest/globals';
import { readConfig } from '../src/config.ts';

test.each([
  ['JWT_ISSUER', 'id.example', 'must be an address such as https://id.example (http on this machine only)'],
  ['JWT_ISSUER', 'http://id.example', 'must be an address such as https://id.example (http on this machine only)'],
  ['JWT_ISSUER', 'http://127.0.0.1.id.example', 'must be an address such as https://id.example'],
  ['JWT_ISSUER', 'https://id.example/?x', 'must have neither a query nor a fragment nor a user'],
  ['JWT_ISSUER', 'https://user:secret@id.example', 'must have neither a query nor a fragment nor a user'],
  ['JWT_AUDIENCE', 'two words', 'must be what tokens for this service have as `aud`, without spaces, not "two words"'],
  ['JWT_SCOPE', 'a "b"', 'must be scopes, with spaces between them, of 900 characters at most'],
  ['JWT_SCOPE', 'x'.repeat(901), 'must be scopes, with spaces between them, of 900 characters at most'],
  ['JWKS_URL', 'http://id.example/jwks', 'must be an address such as https://id.example/jwks (http on this machine'],
  ['JWKS_URL', 'https://user:secret@id.example', 'must be an address such as https://id.example/jwks (http on'],
])('%s=%s is refused with what to do', (name, value, message) => {
  const attempt = () => readConfig({ JWT_ISSUER: 'https://id.example', [name]: value });
  expect(attempt).toThrow(`${name} ${message}`);
  expect(attempt).not.toThrow('secret');
});

test.each(['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000', 'https://id.example/a'])(
  'the settings take tokens of the issuer %s, to the letter',
  (text) => {
    expect(readConfig({ JWT_ISSUER: text, JWT_AUDIENCE: 'plants' }).JWT_ISSUER).toBe(text);
  },
);

test('the settings on tokens of an issuer need one another, and say which', () => {
  const alone = (name: string) => `${name} needs JWT_ISSUER beside it: set that, or leave this one out`;
  const names = ['JWT_AUDIENCE', 'JWT_SCOPE', 'JWKS_URL'];
  expect(() => readConfig({ JWT_AUDIENCE: 'a', JWT_SCOPE: 'b', JWKS_URL: 'https://id.example/jwks' })).toThrow(
    names.map(alone).join('; '),
  );
  expect(() => readConfig({ JWT_ISSUER: 'https://id.example' })).toThrow('JWT_AUDIENCE must be set beside JWT_ISSUER');
  // One that is wrong is not one that is missing.
  expect(() => readConfig({ JWT_ISSUER: 'x', JWT_AUDIENCE: 'a' })).not.toThrow('needs');
});
