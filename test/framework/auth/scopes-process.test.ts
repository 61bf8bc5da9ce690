import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUDIENCE, makeKey, TestProvider } from '../../support/provider.ts';
import { Project } from '../../support/project.ts';
import { run } from '../../support/readme.ts';
import { createPlant, type Environment, plantStore, type Service, startService } from '../../support/service.ts';

const project = new Project();
project.edit('openapi.yaml', '  - bearerAuth: []', '  - bearerAuth: [plants:write]');
const { folder, main } = project;
const environment = { DATABASE_URL: `sqlite:${join(folder, 'plants.db')}` };
const command = (...args: readonly string[]) => plantStore(args, environment, folder, {}, main);
const start = (more: Environment = {}) => startService({ ...environment, ...more }, folder, main);
const makeToken = async (...args: readonly string[]) => (await command('token', 'create', ...args)).stdout.trim();

async function answerTo(service: Service, token: string): Promise<unknown[]> {
  const response = await createPlant({ url: service.url, token }, '{"id":1,"name":"x"}');
  const body = (await response.json()) as { error?: number };
  return [response.status, body.error, response.headers.get('www-authenticate')];
}
const PASSED = [200, undefined, null];
const LACKS = [403, 40300, 'Bearer realm="api", error="insufficient_scope", scope="plants:write"'];

test('`npm run generate` accepts a contract that demands scopes', async () => {
  expect(await run(project, 'npm run generate')).toMatchObject({ code: 0 });
});

test('the first token has every scope of the contract, and another token has the scopes given to `token create`', async () => {
  const service = await start();
  expect(await answerTo(service, service.token)).toEqual(PASSED);
  expect(await answerTo(service, await makeToken('bare'))).toEqual(LACKS);
  expect(await answerTo(service, await makeToken('reader', '--scope', 'plants:read'))).toEqual(LACKS);
  const writer = await makeToken('writer', '--scope', 'plants:read', '--scope', 'plants:write');
  expect(await answerTo(service, writer)).toEqual(PASSED);
  const { stdout } = await command('token', 'list');
  expect(stdout.split('\n').map((row) => row.split(/ {2,}/).toSpliced(2, 1))).toEqual([
    ['NAME', 'STATE', 'EXPIRES', 'SCOPES'],
    ['first', 'valid', 'never', expect.stringMatching(/\bplants:write\b/)],
    ['bare', 'valid', 'never'],
    ['reader', 'valid', 'never', 'plants:read'],
    ['writer', 'valid', 'never', 'plants:read plants:write'],
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
  expect(await answerTo(service, await provider.token(['plants:read']))).toEqual(LACKS);
  expect(await answerTo(service, await provider.token(['plants:read', 'plants:write']))).toEqual(PASSED);
  expect(await service.stop()).toBe(0);
  expect(service.log()).toContainEqual(
    expect.objectContaining({ status: 403, subject: 'gardener', reason: 'the subject gardener lacks scope' }),
  );
});
