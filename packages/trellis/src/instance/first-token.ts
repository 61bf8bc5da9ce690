import { setTimeout as sleep } from 'node:timers/promises';
import { hashToken, makeToken } from '../auth/token.ts';
import { type Contract, PAGES, scopesOf } from 'trellis-contract';
import { exactJson, ExplainedError, fieldFor } from 'trellis-contract/ground';
import { isNowhere } from '../observability/stdout.ts';
import type { AnyService } from '../service.ts';
import { shellWord } from '../shell.ts';
import { StoreUnavailable } from '../storage/store-errors.ts';
import type { Running } from './instance.ts';
import type { Job } from '../terminal/io.ts';

const FIRST_TOKEN = 'first';
const UNSEEN =
  'stderr is closed, or /dev/null, and the first token is shown only once: none was created: open stderr, run `token create` first, or set TOKEN_FILE';

/**
 * Creates and prints a token if the store never had one.
 *
 * @returns its name; undefined: the store has had one
 * @throws ExplainedError if stderr, on which the token would be printed, is closed
 */
export async function makeFirstToken(
  { service, io }: Job,
  { contract, store: { tokens }, url, onUnreachable }: Running,
  stopSignal: AbortSignal,
): Promise<string | undefined> {
  const token = makeToken(service.name);
  for (;;) {
    try {
      if (isNowhere(io.stderr)) {
        if ((await tokens.list()).length > 0) return undefined;
        throw new ExplainedError(UNSEEN);
      }
      const scopes = scopesOf(contract);
      if (!(await tokens.addFirst({ name: FIRST_TOKEN, hash: hashToken(token), scopes }))) return undefined;
      break;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      onUnreachable(error);
      await sleep(1000, undefined, { signal: stopSignal });
    }
  }
  io.stderr.write(`
The store had no access token yet. This is its first one, and it is shown only once:

  ${token}
${firstRequest(service, contract, url, token)}
Documentation: ${url}${PAGES.docs}

`);
  return FIRST_TOKEN;
}

/** A command for a shell that sends an example of the contract; '' without one. */
function firstRequest({ records }: AnyService, contract: Contract, url: string, token: string): string {
  const [id] = Object.values(records);
  const operation = contract.operations.find((each) => each.id === id);
  if (operation?.body?.example === undefined || operation.path.includes('{')) return '';
  const {
    summary = operation.id,
    method,
    path,
    body,
    carriers: [carrier = 'Authorization'],
  } = operation;
  const [mediaType = ''] = body.types.keys();
  const parts = [
    `curl ${shellWord(url + contract.basePath + path)}`,
    ...(method === 'POST' ? [] : [`-X ${method}`]),
    `-H ${shellWord(fieldFor(carrier, token))}`,
    `-H ${shellWord(`Content-Type: ${mediaType}`)}`,
    `-d ${shellWord(exactJson(body.example))}`,
  ];
  return `\n${summary}:\n\n  ${parts.join(' ')}\n`;
}
