import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUDIENCE, makeKey, TestProvider } from '../../support/provider.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { items } from '../../services/items/index.ts';
import { createItem, type Environment, runCommand, type Instance, startInstance } from '../../support/service.ts';

const folder = temporaryFolder();
const contract = pathToFileURL(join(folder, 'openapi.yaml'));
const guarded = { ...items, contract };
beforeAll(() => {
  const yaml = readFileSync(items.contract, 'utf8');
  expect(yaml).toContain('  - bearerAuth: []');
  writeFileSync(contract, yaml.replace('  - bearerAuth: []', '  - bearerAuth: [items:write]'));
});
const environment = { DATABASE_URL: `sqlite:${join(folder, 'items.db')}` };
const command = (...args: readonly string[]) => runCommand(args, environment, folder);
const start = (more: Environment = {}) => startInstance({ ...environment, ...more }, guarded);
const makeToken = async (...args: readonly string[]) => (await command('token', 'create', ...args)).stdout.trim();

async function answerTo(service: Instance, token: string): Promise<unknown[]> {
  const response = await createItem({ url: service.url, token }, '{"id":1,"name":"x"}');
  const body = (await response.json()) as { error?: number };
  return [response.status, body.error, response.headers.get('www-authenticate')];
}
const PASSED = [200, undefined, null];
const LACKS = [403, 40300, 'Bearer realm="api", error="insufficient_scope", scope="items:write"'];

test('the first token has every scope of the contract, and another token has the scopes given to `token create`', async () => {
  const service = await start();
  expect(await answerTo(service, service.token)).toEqual(PASSED);
  expect(await answerTo(service, await makeToken('bare'))).toEqual(LACKS);
  expect(await answerTo(service, await makeToken('reader', '--scope', 'items:read'))).toEqual(LACKS);
  const writer = await makeToken('writer', '--scope', 'items:read', '--scope', 'items:write');
  expect(await answerTo(service, writer)).toEqual(PASSED);
  const { stdout } = await command('token', 'list');
  expect(stdout.split('\n').map((row) => row.split(/ {2,}/).toSpliced(2, 1))).toEqual([
    ['NAME', 'STATE', 'EXPIRES', 'SCOPES'],
    ['first', 'valid', 'never', expect.stringMatching(/\bitems:write\b/)],
    ['bare', 'valid', 'never'],
    ['reader', 'valid', 'never', 'items:read'],
    ['writer', 'valid', 'never', 'items:read items:write'],
    [''],
  ]);
  await command('token', 'revoke', 'writer');
  await sleep(1000);
  expect((await answerTo(service, writer))[0]).toBe(401);
  expect(await service.stop()).toBe(0);
  const refused = service.log().filter(({ status }) => status === 403);
  expect(refused.map(({ caller, error, reason }) => [caller, error, reason])).toEqual([
    ['bare', 40300, 'the token bare lacks scope'],
    ['reader', 40300, 'the token reader lacks scope'],
  ]);
});

test('the token of TOKEN_FILE has every scope of the contract, and a JWT has the scopes in its claims', async () => {
  const file = join(folder, 'token');
  const provisioned = 'provisioned-token-of-an-operator-0001';
  writeFileSync(file, provisioned);
  await using provider = await TestProvider.start([await makeKey('one')]);
  const service = await start({ TOKEN_FILE: file, JWT_ISSUER: provider.issuer, JWT_AUDIENCE: AUDIENCE });
  expect(await answerTo(service, provisioned)).toEqual(PASSED);
  expect(await answerTo(service, await provider.token(['items:read']))).toEqual(LACKS);
  expect(await answerTo(service, await provider.token(['items:read', 'items:write']))).toEqual(PASSED);
  expect(await service.stop()).toBe(0);
  expect(service.log()).toContainEqual(
    expect.objectContaining({ status: 403, subject: 'gardener', reason: 'the subject gardener lacks scope' }),
  );
});
