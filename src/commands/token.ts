import { hashToken, makeToken } from '../auth/token.ts';
import { type Config, durationMs, nameOfStore } from '../config.ts';
import { areScopes, NO_SCOPES } from '../contract/caller.ts';
import type { StoredToken } from '../storage/store.ts';
import { ExplainedError } from '../explained-error.ts';
import { print } from './print.ts';
import { printList } from './print-list.ts';
import { withStore } from './with-store.ts';

/** Makes a token and prints it: stdout gets the token alone. */
export async function createToken(
  config: Config,
  name: string,
  { expires, scope: scopes = [] }: { expires?: string; scope?: readonly string[] },
): Promise<void> {
  if (!/^[\w.@:+-]{1,100}$/.test(name)) {
    throw new ExplainedError('the name of a token must be 1 to 100 letters, digits and any of _.@:+-');
  }
  if (!areScopes(scopes)) throw new ExplainedError(NO_SCOPES);
  const lifetime = expires === undefined ? undefined : readLifetime(expires);
  await withStore(config, { create: true }, async ({ tokens, opened }) => {
    const isNew = (await opened).before === 0;
    const token = makeToken();
    const expiresAt = lifetime === undefined ? {} : { expiresAt: Date.now() + lifetime };
    const hash = hashToken(token);
    if (!(await tokens.add({ name, hash, scopes, ...expiresAt }))) {
      throw new ExplainedError(`there is a token named ${name}: revoke it first, or choose another name`);
    }
    const until = lifetime === undefined ? 'for ever' : `until ${new Date(Date.now() + lifetime).toISOString()}`;
    try {
      await print(`${token}\n`);
    } catch (error) {
      await tokens.delete(hash);
      throw error;
    }
    console.error(`this is the token ${name}, valid ${until}, shown only this once`);
    // A command in another folder than the service has another default.
    console.error(`it is for the ${isNew ? 'new ' : ''}store ${nameOfStore(config.DATABASE_URL)}`);
  });
}

export async function listTokens(config: Config, { json }: { json?: true }): Promise<void> {
  await withStore(config, { create: false }, async ({ tokens }) => {
    const rows = (await tokens.list()).map((token) => ({
      name: token.name,
      state: stateOf(token),
      created: new Date(token.createdAt).toISOString(),
      expires: token.expiresAt === undefined ? undefined : new Date(token.expiresAt).toISOString(),
      scopes: token.scopes,
    }));
    await printList(rows, { name: '', state: '', created: '', expires: 'never', scopes: '' }, json);
  });
}

export async function revokeToken(config: Config, name: string): Promise<void> {
  await withStore(config, { create: false }, async ({ tokens }) => {
    if (!(await tokens.revoke(name))) throw new ExplainedError(`there is no valid token named ${name}`);
    await print(`revoked the token ${name}: it is refused everywhere within a second\n`);
  });
}

function stateOf({ revokedAt, expiresAt = Infinity }: StoredToken): string {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt <= Date.now() ? 'expired' : 'valid';
}

function readLifetime(text: string): number {
  const milliseconds = durationMs(text);
  if (milliseconds === 0)
    throw new ExplainedError(`a lifetime is a number from 1 to 999999 and s, m, h or d, such as 90d, not ${text}`);
  return milliseconds;
}
