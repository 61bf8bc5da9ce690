import type { Started } from './service.ts';
import { until } from './until.ts';

/** Where the admin listener of a service is that was started with ADMIN_PORT. */
export function adminUrl({ log }: Started): string {
  return String(log().find(({ msg }) => msg === 'admin listening')?.['url']);
}

/** What Prometheus would read. */
export async function scrape(service: Started): Promise<string> {
  return await (await fetch(`${adminUrl(service)}/metrics`)).text();
}

/** The samples of a name by the values of their labels, with spaces between these; '' for the one that has no labels. */
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
export function untilSample(service: Started, name: string, value: number): Promise<string> {
  return until(async () => {
    const text = await scrape(service);
    return sample(text, name) === value && text;
  });
}

/** Waits until the log has so many lines of requests, the unreadable among them; what they have, it has by then. */
export function logged(service: Started, count: number): Promise<Record<string, unknown>[]> {
  return until(() => {
    const lines = service.log().filter(({ msg }) => String(msg).includes('request'));
    return lines.length >= count && lines;
  });
}
