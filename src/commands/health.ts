import { get } from 'node:http';
import { readConfig } from '../config.ts';
import type { PAGES } from '../contract/addresses.ts';
import type { Environment } from '../environment.ts';
import { ExplainedError, messageOf } from '../explained-error.ts';
import { print } from './print.ts';

/** How long the service may take to answer, in milliseconds. */
const PATIENCE_MS = 2000;
/** The contract, for which no token is needed. Loading PAGES would load a reader of YAML. */
const CONTRACT: (typeof PAGES)['yaml'] = '/openapi.yaml';
/** What tells where the service listens: a fault of another setting does not make a service that runs unwell. */
const NAMES = ['HOST', 'PORT', 'BASE_URL', 'ADMIN_HOST', 'ADMIN_PORT'];

/**
 * Asks the service that has these settings whether it lives, at its admin listener, if there is one.
 *
 * @throws ExplainedError if it does not answer with 200
 */
export async function checkHealth(environment: Environment): Promise<void> {
  const config = readConfig(Object.fromEntries(NAMES.map((name) => [name, environment[name]])));
  const { HOST, PORT, BASE_URL, ADMIN_HOST, ADMIN_PORT } = config;
  const basePath = BASE_URL?.pathname.replace(/\/$/, '') ?? '';
  const url =
    ADMIN_PORT === undefined
      ? addressOf(HOST, PORT) + basePath + CONTRACT
      : `${addressOf(ADMIN_HOST, ADMIN_PORT)}/livez`;
  const status = await statusOf(url).catch((error: unknown) => {
    throw new ExplainedError(`the service does not answer at ${url}: ${messageOf(error)}`);
  });
  if (status !== 200) throw new ExplainedError(`the service answers ${status} at ${url}`);
  await print(`the service answers at ${url}\n`);
}

async function statusOf(url: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = get(url, { agent: false, signal: AbortSignal.timeout(PATIENCE_MS) }, (response) => {
    // A response to a client has one always.
    resolve(response.statusCode ?? 0);
    response.destroy();
  });
  request.on('error', (error) => {
    reject(error.name === 'AbortError' ? new Error(`no answer within ${PATIENCE_MS / 1000} s`) : error);
  });
  return await promise;
}

function addressOf(host: string, port: number): string {
  if (port === 0) throw new ExplainedError('the system has chosen the port (0), which only the log of the service has');
  return reachable(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
}

/** If the service listens on all addresses, one that a client on this machine can use. */
export function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
