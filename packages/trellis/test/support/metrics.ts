import type { Output } from './service.ts';
import { until } from './until.ts';

/** The URL of the admin listener of a service that has ADMIN_PORT. */
export function adminUrl({ log }: Pick<Output, 'log'>): string {
  return String(log().find(({ msg }) => msg === 'admin listening')?.['url']);
}

/** Reads /metrics as Prometheus does. */
export async function scrape(service: Pick<Output, 'log'>): Promise<string> {
  return await (await fetch(`${adminUrl(service)}/metrics`)).text();
}

/** The samples of a metric, by the values of their labels joined with spaces; '' for a sample without labels. */
export function samples(text: string, name: string): Record<string, number> {
  const lines = [...text.matchAll(new RegExp(`^${RegExp.escape(name)}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))];
  return Object.fromEntries(
    lines.map(([, labels = '', value]) => [
      [...labels.matchAll(/"(.*?)"/g)].map(([, each]) => each).join(' '),
      Number(value),
    ]),
  );
}

/** The sample of a metric without labels. */
export function sample(text: string, name: string): number | undefined {
  return samples(text, name)[''];
}

/** Scrapes until a sample has this value. @param patienceMs for a value that does not last; by default that of `until` */
export function untilSample(
  service: Pick<Output, 'log'>,
  name: string,
  value: number,
  patienceMs?: number,
): Promise<string> {
  return until(async () => {
    const text = await scrape(service);
    return sample(text, name) === value && text;
  }, patienceMs);
}

/** Waits until the log has `count` lines about requests, unreadable ones included. The metrics count them by then. */
export function logged(service: Pick<Output, 'log'>, count: number): Promise<Record<string, unknown>[]> {
  return until(() => {
    const lines = service.log().filter(({ msg }) => String(msg).includes('request'));
    return lines.length >= count && lines;
  });
}
