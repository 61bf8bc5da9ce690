import { readConfig, textIn } from '../config.ts';
import type { PAGES } from 'trellis-contract';
import type { Environment } from '../environment.ts';
import { ExplainedError, messageOf } from 'trellis-contract/ground';
import { http } from '../http/node-http.ts';
import { durationMs } from '../read-settings.ts';
import { reachable } from '../instance/reachable.ts';
import type { AnyService } from '../service.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';

/** The path to ask for, which needs no token. A constant, as importing PAGES would load the YAML parser. */
const CONTRACT: (typeof PAGES)['yaml'] = '/openapi.yaml';
/** The settings that the check reads: a fault in any other one does not stop a running service. */
const NAMES = ['HOST', 'PORT', 'BASE_URL', 'ADMIN_HOST', 'ADMIN_PORT'];
/** A timer of Node holds 24 days. */
const MAX_PATIENCE_MS = 24 * 3_600_000;

/** The service accepts connections, or its queue of them is full, and does not answer. */
class NoAnswer extends ExplainedError {
  override readonly name = 'NoAnswer';
  /** The exit code of the command `timeout` of coreutils. */
  override readonly exitCode = 124;
}

/** @throws ExplainedError unless the service that has these settings answers 200 */
export async function checkHealth(
  service: AnyService,
  io: Io,
  environment: Environment,
  { timeout }: { readonly timeout: string },
): Promise<void> {
  const patienceMs = durationMs(timeout);
  if (patienceMs === 0 || patienceMs > MAX_PATIENCE_MS)
    throw new ExplainedError(`--timeout must be a time up to 24h, such as 30s, not ${timeout}`);
  const config = readConfig(service, Object.fromEntries(NAMES.map((name) => [name, environment[name]])));
  const { HOST, PORT, BASE_URL, ADMIN_HOST, ADMIN_PORT } = config;
  const basePath = BASE_URL?.pathname.replace(/\/$/, '') ?? '';
  const url =
    ADMIN_PORT === undefined
      ? addressOf(HOST, PORT) + basePath + CONTRACT
      : `${addressOf(ADMIN_HOST, ADMIN_PORT)}/livez`;
  // Without the settings of the service, the command asks the default port, where perhaps nothing listens.
  const hint = ['PORT', 'ADMIN_PORT'].some((name) => textIn(environment, name) !== undefined)
    ? ''
    : '; PORT is not set: name the settings of the service with --env-file';
  const status = await statusOf(url, patienceMs).catch((error: unknown) => {
    const fault = `the service does not answer at ${url}: `;
    if (Error.isError(error) && error.name === 'AbortError') throw new NoAnswer(`${fault}no answer within ${timeout}`);
    throw new ExplainedError(fault + messageOf(error) + hint);
  });
  if (status !== 200) throw new ExplainedError(`the service answers ${status} instead of 200 at ${url}`);
  await print(io, `the service answers at ${url}\n`);
}

async function statusOf(url: string, patienceMs: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = http.get(url, { agent: false, signal: AbortSignal.timeout(patienceMs) }, (response) => {
    // Node sets statusCode on every response that a client receives.
    resolve(response.statusCode ?? 0);
    response.destroy();
  });
  request.on('error', reject);
  return await promise;
}

function addressOf(host: string, port: number): string {
  if (port === 0) throw new ExplainedError('the system chose the port, as the setting is 0: set a port to check it');
  return reachable(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
}
