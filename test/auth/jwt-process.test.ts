import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { freePort } from '../support/port.ts';
import { ROOT, start, startService } from '../support/service.ts';

const bash = (line: string) => promisify(execFile)('bash', ['--norc', '-c', line]);

test('what `npm run provider` prints works: the settings, and how to get a token', async () => {
  const port = String(await freePort());
  const provider = start('npm', ['run', '--silent', 'provider'], { PORT: port }, ROOT);
  using _provider = { [Symbol.dispose]: () => provider.child.kill('SIGTERM') };
  while (!provider.stdout().includes('ACCESS_TOKEN=')) {
    if (provider.child.exitCode !== null) throw new Error(provider.stderr());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const [, settings = ''] = /^ {2}(JWT_.*) npm start$/m.exec(provider.stdout()) ?? [];
  const [, curl = ''] = /^ {2}(curl .*)$/m.exec(provider.stdout()) ?? [];
  const [, assignment = ''] = /^ {2}(ACCESS_TOKEN=.*)$/m.exec(provider.stdout()) ?? [];
  const environment = new URLSearchParams(settings.replaceAll(' ', '&'));
  const service = await startService(Object.fromEntries(environment));
  const { stdout: answer } = await bash(curl);
  expect(JSON.parse(answer)).toMatchObject({ token_type: 'Bearer', scope: 'plants:write plants:read' });
  const create = `curl --silent ${service.url}/plants -H "Authorization: Bearer $ACCESS_TOKEN" -H 'Content-Type: application/json' -d '{"id":1,"name":"x"}'`;
  expect((await bash(`${assignment}; ${create}`)).stdout).toBe('{"name":"x"}');
  expect(await service.stop()).toBe(0);
  const line = service.log().find(({ msg }) => msg === 'request');
  expect(line).toMatchObject({ status: 200, subject: 'gardener' });
  expect(line).not.toHaveProperty('caller');
  // No first token was made: the issuer gives them out.
  expect([service.token, service.stderr()]).toEqual(['', '']);
});

test('an issuer that never answers holds up neither the start nor the end', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  using _silent = { [Symbol.dispose]: () => silent.close() };
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const asked = once(silent, 'connection');
  const service = await startService({ JWT_ISSUER: `http://127.0.0.1:${port}`, JWT_AUDIENCE: 'plants' });
  await asked;
  const stopped = performance.now();
  expect(await service.stop()).toBe(0);
  expect(performance.now() - stopped).toBeLessThan(3000);
});
