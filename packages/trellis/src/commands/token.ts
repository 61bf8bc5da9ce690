import { hashToken, makeToken } from '../auth/token.ts';
import { isNowhere } from '../observability/stdout.ts';
import { areScopes, ExplainedError, NO_SCOPES } from 'trellis-contract/ground';
import { durationMs, nameOfStore } from '../read-settings.ts';
import type { StoredToken } from '../storage/store.ts';
import { recordAct } from '../terminal/acts.ts';
import type { Job } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import { printList } from '../terminal/print-list.ts';
import { withStore } from '../terminal/with-store.ts';

/** Prints the token alone on stdout, so that a script can read it. */
export async function createToken(
  job: Job,
  name: string,
  { expires, scope: scopes = [] }: { expires?: string; scope?: readonly string[] },
): Promise<void> {
  if (!/^[\w.@:+-]{1,100}$/.test(name))
    throw new ExplainedError('the name of a token must be 1 to 100 letters, digits and any of _.@:+-');
  if (!areScopes(scopes)) throw new ExplainedError(NO_SCOPES);
  const lifetime = expires === undefined ? undefined : readLifetime(expires);
  if (isNowhere(job.io.stdout))
    throw new ExplainedError('stdout is closed, or /dev/null, and the token is shown only once: no token was created');
  await withStore(job, { create: true }, async ({ tokens, opened, run }) => {
    const isNew = (await opened).before === 0;
    const token = makeToken(job.service.name);
    const expiresAt = lifetime === undefined ? undefined : Date.now() + lifetime;
    const hash = hashToken(token);
    if (!(await tokens.add({ name, hash, scopes, ...(expiresAt !== undefined && { expiresAt }) })))
      throw new ExplainedError(`the token ${name} exists: revoke it first, or choose another name`);
    const until = expiresAt === undefined ? 'for ever' : `until ${new Date(expiresAt).toISOString()}`;
    let isRecorded = false;
    try {
      await recordAct(job, 'token created', { token: name, expires: expires ?? 'never', scopes }, run);
      isRecorded = true;
      await print(job.io, `${token}\n`);
    } catch (error) {
      await tokens.delete(hash);
      // The command ends with the failure to print, even if it cannot record this line.
      if (isRecorded) await recordAct(job, 'token revoked', { token: name }, run).catch(() => undefined);
      throw error;
    }
    job.io.stderr.write(`created the token ${name}, valid ${until}; it is shown only once\n`);
    // In another folder than the service, the command has another default store.
    job.io.stderr.write(`the token is for the ${isNew ? 'new ' : ''}store ${nameOfStore(job.config.DATABASE_URL)}\n`);
  });
}

export async function listTokens(job: Job, { json }: { json?: true }): Promise<void> {
  await withStore(job, { create: false }, async ({ tokens }) => {
    const rows = (await tokens.list()).map((token) => ({
      name: token.name,
      state: stateOf(token),
      created: new Date(token.createdAt).toISOString(),
      expires: token.expiresAt === undefined ? undefined : new Date(token.expiresAt).toISOString(),
      scopes: token.scopes,
    }));
    await printList(job.io, rows, { name: '', state: '', created: '', expires: 'never', scopes: '' }, json);
  });
}

export async function revokeToken(job: Job, name: string): Promise<void> {
  await withStore(job, { create: false }, async ({ tokens, run }) => {
    if (!(await tokens.revoke(name))) throw new ExplainedError(`the store has no valid token named ${name}`);
    await recordAct(job, 'token revoked', { token: name }, run);
    await print(job.io, `revoked the token ${name}: every instance refuses it within a second\n`);
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
