import { afterEach, describe, expect, test } from '@jest/globals';
import { inTime } from '../../packages/trellis/test/support/in-time.ts';
import { type RawAnswer, sendRaw } from '../../packages/trellis/test/support/raw.ts';
import { page } from '../../packages/trellis/test/support/readme.ts';
import { until } from '../../packages/trellis/test/support/until.ts';
import * as attempts from './attempts.ts';
import { createPlant, startPlantApp } from '../support.ts';

const app = await startPlantApp();
const { get } = attempts.messages(app);
const NEXT = get('/next', 'Connection: close');
const docs = await (await fetch(`${app.url}/docs/`)).text();

const { authorizations, framings, bodies, documents, floods, paths, methods, injections } = attempts;
const groups = [authorizations, framings, bodies, documents, floods, paths, methods, injections];
const all = new Map(groups.flatMap((group) => Object.entries(group(app))));

const [, section = ''] = /^# Security\n(.*?)^## /ms.exec(page('security')) ?? [];
const rows = [...section.matchAll(/^\| (?!what was tried|--|\*)(.+?) +\| (.+?) +\|$/gm)].map(
  ([, tried = '', answer = '']) => {
    const [name = ''] = tried.split(':');
    const [number = '', ...clauses] = answer.split(', ');
    return { name, tried, number, clauses };
  },
);

type Clause = (answer: RawAnswer, sent: string) => unknown;

/** What each phrase in the second column of the table requires of the answer. */
const CLAUSES: Readonly<Record<string, Clause>> = {
  closed: ({ headers, text }) => {
    expect(headers['connection']).toBe('close');
    expect(text).not.toContain('the path /next');
  },
  stored: async (_answer, sent) => {
    const { id, ...rest } = JSON.parse(sent.split('\r\n\r\n')[1] ?? '') as { id: number };
    expect(await app.stored()).toEqual([{ id: BigInt(id), ...rest }]);
    await app.store.remove('plants', BigInt(id));
  },
  'as JSON': ({ headers }) => {
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
  },
  'after 10 s': ({ ms }) => {
    expect(ms).toBeGreaterThan(9000);
    expect(ms).toBeLessThan(15_000);
  },
  'the same page': ({ body }) => {
    expect(body.startsWith(docs)).toBe(true);
  },
  '`Location: docs/`': ({ headers }) => {
    expect(headers['location']).toBe('docs/');
  },
  'no permission': ({ text }) => {
    expect(text).not.toMatch(/^access-control/im);
  },
  'no token': ({ text }) => {
    expect(text).not.toContain(app.token);
  },
  'an id of the service': ({ headers }) => {
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  },
  'one line in the log': async ({ headers }, sent) => {
    const lines = () => app.log.filter(({ requestId }) => requestId === headers['x-request-id']);
    await until(() => lines().length);
    const path = sent.split(' ')[1]?.slice(0, 200);
    expect(lines()).toEqual([expect.objectContaining({ level: 30, method: 'GET', path, status: 404 })]);
  },
};

/** An honest create must succeed. For the next second, the service knows the token without asking the store. */
async function expectService(): Promise<void> {
  expect((await createPlant(app, '{"id":1,"name":"x"}')).status).toBe(200);
  expect(await app.store.remove('plants', 1n)).toBe(true);
}

async function attempt(sent: attempts.Message, number: string, clauses: readonly string[]): Promise<void> {
  await removeAll();
  await expectService();
  const answer = await (typeof sent === 'function' ? sendRaw(app.url, sent) : sendRaw(app.url, sent, NEXT));
  const all = answer.text.match(/(?<=HTTP\/1\.1 )\d{3}(?= )/g);
  const open = clauses.includes('closed') ? [] : ['404'];
  expect(all).toEqual([number.slice(0, 3), ...open]);
  if (number.length > 3) expect(answer.body).toMatch(new RegExp(`^{"error":${number},`));
  if (!clauses.includes('after 10 s')) expect(answer.ms).toBeLessThan(2000);
  for (const clause of clauses) await CLAUSES[clause]?.(answer, String(sent));
  expect(await app.stored()).toEqual([]);
}

/** A plant that one attack has stored must not fail the next. */
async function removeAll(): Promise<void> {
  for (const row of await app.stored()) await app.store.remove('plants', row['id']);
}
afterEach(removeAll);

describe('docs/security.md', () => {
  test('the table of attacks has a row for each attack of attempts.ts, and no others', () => {
    expect(rows.map(({ name }) => name)).toEqual([...all.keys()]);
  });

  test.each(rows)('the table of attacks has the right answer to $tried', async ({ name, tried, number, clauses }) => {
    const examples = Array.from(tried.matchAll(/`(.+?)`/g), ([, example = '']) => example);
    const sent = all.get(name)?.(examples) ?? [];
    expect(sent).not.toEqual([]);
    const bytes = sent.map(String).join('\n');
    for (const example of examples) expect(bytes).toContain(example);
    expect(Object.keys(CLAUSES)).toEqual(expect.arrayContaining([...clauses]));
    for (const each of sent) await inTime(() => attempt(each, number, clauses));
    await expectService();
  });

  test('the attacks of the table change no prototype, and leave no token and no warning in the log', () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['tag']).toBeUndefined();
    expect(JSON.stringify(app.log)).not.toContain(app.token);
    expect(app.log.filter(({ level }) => Number(level) > 30)).toEqual([]);
  });
});
