import { describe, expect, test } from '@jest/globals';
import type { TokenStore } from '../../../src/storage/store.ts';

export function testTokens(tokensOf: () => TokenStore): void {
  describe('the token store', () => {
    const hash = (fill: number) => new Uint8Array(32).fill(fill);
    const token = (name: string, fill: number) => ({ name, hash: hash(fill), scopes: [] });

    test('deletes a token, so that neither find nor list returns it', async () => {
      expect(await tokensOf().add(token('lost', 110))).toBe(true);
      await tokensOf().delete(hash(110));
      expect(await tokensOf().find(hash(110))).toBeUndefined();
      expect(await tokensOf().list()).toEqual([]);
      await tokensOf().delete(hash(110));
    });

    test('adds a first token only if the store never had a token', async () => {
      const attempts = Array.from({ length: 10 }, (_, index) => tokensOf().addFirst(token(`first ${index}`, index)));
      expect((await Promise.all(attempts)).filter((added) => added)).toHaveLength(1);
      const [first] = await tokensOf().list();
      expect(await tokensOf().revoke(first?.name ?? '')).toBe(true);
      expect(await tokensOf().addFirst(token('second', 100))).toBe(false);
      expect(await tokensOf().add(token('lost', 110))).toBe(true);
      await tokensOf().delete(hash(110));
      expect(await tokensOf().addFirst(token('second', 100))).toBe(false);
    });

    test('finds a token by its hash until the token is revoked', async () => {
      const expiresAt = 1_900_000_000_000;
      expect(await tokensOf().add({ ...token('finder', 101), expiresAt })).toBe(true);
      const found = await tokensOf().find(hash(101));
      expect(found).toEqual({ name: 'finder', scopes: [], createdAt: found?.createdAt, expiresAt });
      expect(await tokensOf().find(hash(102))).toBeUndefined();
      expect(await tokensOf().revoke('finder')).toBe(true);
      expect(await tokensOf().find(hash(101))).toBeUndefined();
      expect(await tokensOf().revoke('finder')).toBe(false);
      const listed = (await tokensOf().list()).find(({ name: each }) => each === 'finder');
      expect(listed?.revokedAt).toBeGreaterThanOrEqual(found?.createdAt ?? Infinity);
    });

    test('keeps the scopes of a token in their order', async () => {
      const scopes = ['items:write', "!#$%&'()*+,-./:;<=>?@[]^_`{|}~", 'A'.repeat(800)];
      expect(await tokensOf().add({ ...token('scoped', 105), scopes })).toBe(true);
      expect((await tokensOf().find(hash(105)))?.scopes).toEqual(scopes);
      expect((await tokensOf().list()).find(({ name }) => name === 'scoped')?.scopes).toEqual(scopes);
    });

    test('refuses a second token of the same name until the first is revoked', async () => {
      expect(await tokensOf().add(token('twice', 103))).toBe(true);
      expect(await tokensOf().add(token('twice', 104))).toBe(false);
      await tokensOf().revoke('twice');
      expect(await tokensOf().add(token('twice', 104))).toBe(true);
    });
  });
}
