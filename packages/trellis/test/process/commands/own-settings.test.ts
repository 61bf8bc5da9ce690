import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Settings } from 'trellis';
import type { AnyService } from '../../../src/service.ts';
import { itemOperations, items } from '../../services/items/index.ts';
import { createItem, runCommand, startInstance } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

const settings = {
  WEATHER_URL: {
    read: (text) => {
      const url = URL.parse(text);
      if (url?.protocol !== 'https:') throw new Error(`must be an address of https, not ${JSON.stringify(text)}`);
      return url;
    },
    meaning: 'the address of the weather',
  },
  WEATHER_KEY: {
    read: (text) => {
      if (!/^\w{8}$/.test(text)) throw new Error(`must be 8 letters, not ${text}`);
      return text;
    },
    secret: true,
    meaning: 'the key to the weather',
  },
  WEATHER_DAYS: { read: Number, default: '3', meaning: 'how many days ahead' },
} satisfies Settings;
const service: AnyService = { ...items, settings };

async function config(env: string, of = service) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), env);
  const { code, stdout, stderr } = await runCommand(['config', '--json'], {}, folder, of);
  const rows = stdout.split('\n').filter((line) => line !== '');
  const parsed = rows.map((row) => JSON.parse(row) as { name: string; value?: string; from: string });
  return { code, stdout, stderr, rows: parsed.filter(({ name }) => name.startsWith('WEATHER')) };
}

test('config lists the settings of the service itself, without the value of a secret', async () => {
  const { code, stderr, stdout, rows } = await config('WEATHER_URL=https://weather.example\nWEATHER_KEY=abcd1234\n');
  expect([code, stderr]).toEqual([0, '']);
  expect(rows).toEqual([
    { name: 'WEATHER_URL', value: 'https://weather.example', from: '.env' },
    { name: 'WEATHER_KEY', value: '(secret)', from: '.env' },
    { name: 'WEATHER_DAYS', value: '3', from: 'default' },
  ]);
  expect(stdout).not.toContain('abcd1234');
});

test('each command names a wrong setting of the service itself beside those of the framework, without a secret', async () => {
  const env = 'PORT=high\nWEATHER_URL=ftp://x\nWEATHER_KEY=my secret\nWEATHER_DYAS=4\n';
  const said =
    'item-store: PORT must be a port from 0 to 65535, not "high"; WEATHER_URL must be an address of https, not "ftp://x"; ' +
    'WEATHER_KEY is refused, and not shown: it must be the key to the weather; ' +
    'the name in line 4 of .env is not a setting: correct or remove it\n';
  const { code, stderr, rows } = await config(env);
  expect([code, stderr]).toEqual([78, said]);
  expect(rows.map(({ value }) => value)).toEqual(['(invalid)', '(invalid)', '3']);
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), env);
  expect(await runCommand(['serve'], {}, folder, service)).toEqual({ code: 78, stdout: '', stderr: said });
});

test.each([
  ['PORT', 'the service has a setting PORT, which is one of trellis: choose another name'],
  ['weatherKey', 'the service has a setting weatherKey: its name must be of capitals, digits and _'],
])('a setting with the name %s stops each command', async (name, said) => {
  const { code, stderr } = await config('', { ...items, settings: { [name]: { read: String, meaning: 'x' } } });
  expect(code).toBe(1);
  expect(stderr).toBe(`item-store: ${said}\n`);
});

test('an operation gets the parsed value of each setting, and undefined for a setting without a value', async () => {
  let seen: unknown;
  const createAndSee: (typeof itemOperations)[string] = async (request, tools) => {
    seen = tools.settings;
    return await (itemOperations['createItem']?.(request, tools) ?? Promise.reject(new Error('there is none')));
  };
  const instance = await startInstance(
    { WEATHER_URL: 'https://weather.example', PORT: '0' },
    { ...service, operations: { createItem: createAndSee } },
  );
  expect((await createItem(instance, '{"id":1,"name":"x"}')).status).toBe(200);
  expect(seen).toEqual({
    WEATHER_URL: new URL('https://weather.example'),
    WEATHER_KEY: undefined,
    WEATHER_DAYS: 3,
  });
});
