import { get } from 'node:http';
import { readConfig } from '../config.ts';
import type { PAGES } from '../contract/addresses.ts';
import type { Environment } from '../environment.ts';
import { ExplainedError, messageOf } from '../explained-error.ts';
import { print } from './print.ts';

const PATIENCE_MS = 2000;
/** Needs no token. A constant, as importing PAGES would load the YAML parser. */
const CONTRACT: (typeof PAGES)['yaml'] = '/openapi.yaml';
/** Reads no other settings: a fault in those does not stop a running service. */
const NAMES = ['HOST', 'PORT', 'BASE_URL', 'ADMIN_HOST', 'ADMIN_PORT'];

/** @throws ExplainedError unless the service that has these settings answers 200 */
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
  if (status !== 200) throw new ExplainedError(`the service answers ${status} instead of 200 at ${url}`);
  await print(`the service answers at ${url}\n`);
}

async function statusOf(url: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = get(url, { agent: false, signal: AbortSignal.timeout(PATIENCE_MS) }, (response) => {
    // Node sets statusCode on every response that a client receives.
    resolve(response.statusCode ?? 0);
    response.destroy();
  });
  request.on('error', (error) => {
    reject(error.name === 'AbortError' ? new Error(`no answer within ${PATIENCE_MS / 1000} s`) : error);
  });
  return await promise;
}

function addressOf(host: string, port: number): string {
  if (port === 0) throw new ExplainedError('the system chose the port, as the setting is 0: set a port to check it');
  return reachable(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
}

/** Replaces the address for all interfaces by one that a client on this machine can use. */
export function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
