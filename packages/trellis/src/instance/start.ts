import { randomUUID } from 'node:crypto';
import { hashToken, makeToken } from '../auth/token.ts';
import { readConfig } from '../config.ts';
import { scopesOf } from 'trellis-contract';
import { areScopes, ExplainedError, NO_SCOPES } from 'trellis-contract/ground';
import type { Environment } from '../environment.ts';
import { createLog } from '../observability/log.ts';
import type { Stdout } from '../observability/stdout.ts';
import type { AnyService } from '../service.ts';
import { openInstance } from './instance.ts';

/** A service that runs in this process. */
export interface Instance extends AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string;
  /** Makes an access token, by default with all scopes of the contract. */
  readonly token: (scopes?: readonly string[]) => Promise<string>;
  /** Answers the requests that are under way, disposes of the resources, and closes the store. */
  readonly stop: () => Promise<void>;
}

/** See index.ts. */
export async function startInstance(service: AnyService, settings: Environment, stdout: Stdout): Promise<Instance> {
  const config = readConfig(service, settings);
  const log = createLog(config.LOG_LEVEL, stdout);
  const stopping = new AbortController();
  const stack = new AsyncDisposableStack();
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopping.abort();
    stopped ??= stack.disposeAsync().finally(() => log.flush());
    return stopped;
  };
  try {
    const instance = await openInstance({ service, config }, log, stopping.signal, stack);
    if (instance === undefined) throw new Error('the instance was stopped before it was returned');
    await instance.ready;
    const { contract, store, url } = instance;
    log.logger.info({ operations: url + contract.basePath }, 'ready');
    const token = async (scopes: readonly string[] = scopesOf(contract)) => {
      if (!areScopes(scopes)) throw new ExplainedError(NO_SCOPES);
      const text = makeToken(service.name);
      await store.tokens.add({ name: `started-${randomUUID()}`, hash: hashToken(text), scopes });
      return text;
    };
    return { url, token, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
