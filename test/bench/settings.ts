import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/port.ts';
import { AUDIENCE, makeKey, SCOPES, TestProvider } from '../support/provider.ts';
import type { Environment } from './processes.ts';
import type { ServerName } from './servers.ts';

/** What a server is started with, and what goes on beside it until it has been measured. */
export interface Setting extends AsyncDisposable {
  /** With `TOKEN` where the load is to send another one than a token of the store. */
  readonly environment: Environment;
}

/** The service with settings that cost something. */
export const SETTINGS: Partial<Record<ServerName, () => Promise<Setting>>> = {
  'service-metrics': scraped,
  'service-jwt': withTokensOfProvider,
  'service-rate-limit': limited,
};
export const hasSetting = (server: ServerName) => server in SETTINGS;

/** More often than a Prometheus commonly asks, in milliseconds. */
const SCRAPE_EVERY_MS = 1000;

async function scraped(): Promise<Setting> {
  const port = String(await freePort());
  const over = new AbortController();
  let [scrapes, running] = [0, true];
  const scraping = (async () => {
    while (running) {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: over.signal }).catch(() => undefined);
      // Until the server listens.
      if (response?.ok !== true) await sleep(50);
      else {
        if ((await response.text()).includes('plant_store_')) scrapes++;
        await sleep(SCRAPE_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
      }
    }
  })();
  return {
    environment: { ADMIN_PORT: port },
    async [Symbol.asyncDispose]() {
      running = false;
      over.abort();
      await scraping;
      if (scrapes === 0) throw new Error('the metrics were never read');
    },
  };
}

/** The load has one token of a real provider, as long as such tokens are. */
async function withTokensOfProvider(): Promise<Setting> {
  const provider = await TestProvider.start([await makeKey('bench')]);
  const environment = {
    JWT_ISSUER: provider.issuer,
    JWT_AUDIENCE: AUDIENCE,
    JWT_SCOPE: SCOPES.join(' '),
    TOKEN: await provider.token(),
  };
  return { environment, [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose]() };
}

function limited(): Promise<Setting> {
  return Promise.resolve({
    environment: { RATE_LIMIT: '999999999/24h' },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}
