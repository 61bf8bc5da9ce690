import { hashToken, makeToken } from '../auth/token.ts';
import { type Config, durationMs, nameOfStore } from '../config.ts';
import { areScopes, NO_SCOPES } from '../contract/caller.ts';
import type { StoredToken } from '../storage/store.ts';
import type { AnyService } from '../service.ts';
import { ExplainedError } from '../explained-error.ts';
import { recordAct } from './acts.ts';
import { print } from './print.ts';
import { printList } from './print-list.ts';
import { withStore } from './with-store.ts';

/** Prints the token alone on stdout, so that a script can read it. */
export async function createToken(
  service: AnyService,
  config: Config,
  name: string,
  { expires, scope: scopes = [] }: { expires?: string; scope?: readonly string[] },
): Promise<void> {
  if (!/^[\w.@:+-]{1,100}$/.test(name)) {
    throw new ExplainedError('the name of a token must be 1 to 100 letters, digits and any of _.@:+-');
  }
  if (!areScopes(scopes)) throw new ExplainedError(NO_SCOPES);
  const lifetime = expires === undefined ? undefined : readLifetime(expires);
  await withStore(service, config, { create: true }, async ({ tokens, opened, run }) => {
    const isNew = (await opened).before === 0;
    const token = makeToken(service.name);
    const expiresAt = lifetime === undefined ? {} : { expiresAt: Date.now() + lifetime };
    const hash = hashToken(token);
    if (!(await tokens.add({ name, hash, scopes, ...expiresAt }))) {
      throw new ExplainedError(`the token ${name} exists: revoke it first, or choose another name`);
    }
    const until = lifetime === undefined ? 'for ever' : `until ${new Date(Date.now() + lifetime).toISOString()}`;
    try {
      await recordAct(service.name, config, 'token created', { token: name, expires: expires ?? 'never', scopes }, run);
      await print(`${token}\n`);
    } catch (error) {
      await tokens.delete(hash);
      throw error;
    }
    console.error(`created the token ${name}, valid ${until}; it is shown only once`);
    // In another folder than the service, the command has another default store.
    console.error(`the token is for the ${isNew ? 'new ' : ''}store ${nameOfStore(config.DATABASE_URL)}`);
  });
}

export async function listTokens(service: AnyService, config: Config, { json }: { json?: true }): Promise<void> {
  await withStore(service, config, { create: false }, async ({ tokens }) => {
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

export async function revokeToken(service: AnyService, config: Config, name: string): Promise<void> {
  await withStore(service, config, { create: false }, async ({ tokens, run }) => {
    if (!(await tokens.revoke(name))) throw new ExplainedError(`the store has no valid token named ${name}`);
    await recordAct(service.name, config, 'token revoked', { token: name }, run);
    await print(`revoked the token ${name}: every instance refuses it within a second\n`);
  });
}

function stateOf({ revokedAt, expiresAt = Infinity }: StoredToken): string {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt <= Date.now() ? 'expired' : 'valid';
}

function readLifetime(text: string): number {
  const milliseconds = durationMs(text);
  if (milliseconds === 0)
    throw new ExplainedError(`--expires must be a number from 1 to 999999 and s, m, h or d, such as 90d, not ${text}`);
  return milliseconds;
}
