import { setTimeout as sleep } from 'node:timers/promises';
import type { Started } from './service.ts';

/** Where the admin listener of a service is that was started with ADMIN_PORT. */
export function adminUrl({ log }: Started): string {
  return String(log().find(({ msg }) => msg === 'admin listening')?.['url']);
}

/** What Prometheus would read. */
export async function scrape(service: Started): Promise<string> {
  return await (await fetch(`${adminUrl(service)}/metrics`)).text();
}

/** The samples of a name by the values of their labels, with spaces between these. */
export function samples(text: string, name: string): Record<string, number> {
  const lines = [...text.matchAll(new RegExp(`^${RegExp.escape(name)}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))];
  return Object.fromEntries(
    lines.map(([, labels = '', value]) => [
      [...labels.matchAll(/"(.*?)"/g)].map(([, each]) => each).join(' '),
      Number(value),
    ]),
  );
}

/** The one sample of a name that has no labels. */
export function sample(text: string, name: string): number | undefined {
  return samples(text, name)[''];
}

/** Scrapes until a sample has a value. */
export async function until(service: Started, name: string, value: number): Promise<string> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const text = await scrape(service);
    if (sample(text, name) === value) return text;
    if (performance.now() > deadline) throw new Error(`${name} never was ${value}: ${text}`);
    await sleep(20);
  }
}

/** Waits until the log has so many lines of requests, the unreadable among them; what they have, it has by then. */
export async function logged(service: Started, count: number): Promise<Record<string, unknown>[]> {
  for (;;) {
    const lines = service.log().filter(({ msg }) => String(msg).includes('request'));
    if (lines.length >= count) return lines;
    await sleep(10);
  }
}
