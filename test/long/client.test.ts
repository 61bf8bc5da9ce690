import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { errors as failures } from '../../generated/openapi.ts';
import { blocks, page } from '../../packages/trellis/test/support/readme.ts';
import { ROOT, start } from '../../packages/trellis/test/support/service.ts';
import { temporaryFolder } from '../../packages/contract/test/support/temporary.ts';
import { createPlant, ERROR_NUMBERS, plantStore, startPlants } from '../support.ts';

const PAGE = page('clients');

describe('docs/clients.md', () => {
  test('shows a client in TypeScript that compiles, waits for a rate limit, and keeps every digit of an id', async () => {
    const folder = temporaryFolder();
    for (const [file, heading] of [
      ['int64.ts', 'TypeScript'],
      ['retry.ts', 'Retries'],
      ['add-plant.ts', 'openapi-fetch'],
    ] as const)
      writeFileSync(join(folder, file), blocks('clients', heading, 'ts').join('\n'));
    copyFileSync(join(ROOT, 'generated/openapi.ts'), join(folder, 'openapi.ts'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));

    const options =
      '--noEmit --strict --skipLibCheck --target esnext --module nodenext --allowImportingTsExtensions --types node';
    const compiler = [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options.split(' '), 'add-plant.ts'];
    const compiled = start(process.execPath, compiler, {}, folder);
    expect([await compiled.ended, compiled.stdout()]).toEqual([0, '']);

    const DATABASE_URL = `sqlite:${join(temporaryFolder(), 'plants.db')}`;
    const service = await startPlants({ DATABASE_URL, RATE_LIMIT: '1/2s' });
    const run = async (ACCESS_TOKEN: string, ...programs: readonly string[]) => {
      const lines = programs.map((program) => `await import('./${program}');`).join('');
      const variables = { PLANT_STORE_URL: service.url, ACCESS_TOKEN };
      const program = start(process.execPath, ['--input-type=module', '-e', lines], variables, folder);
      expect([await program.ended, program.stderr()]).toEqual([0, '']);
      return program.stdout();
    };
    // Node runs a module again if its URL has another query.
    const twice = await run(service.token, 'add-plant.ts', 'add-plant.ts?again');
    expect(twice).toBe('Ginkgo biloba is new\nGinkgo biloba was there\n');
    expect(await run('x', 'add-plant.ts')).toBe('40101 the access token is unknown, revoked or expired\n');
    await service.stop();
    const statuses = service.log().flatMap(({ status }) => status ?? []);
    expect(statuses).toEqual([200, 429, 200, 401]);
    const { stdout } = await plantStore(['export'], { DATABASE_URL });
    expect(stdout).toBe('{"id":9007199254740993,"name":"Ginkgo biloba"}\n');
  });

  test('shows commands that fetch the contract and create a plant by curl', async () => {
    const service = await startPlants();
    const folder = temporaryFolder();
    const [lines = ''] = blocks('clients', 'Calling the service from code', 'sh');
    const variables = { PLANT_STORE_URL: service.url, ACCESS_TOKEN: service.token };
    const shell = start('bash', ['-c', lines.replace(/^export .*\n/, '')], variables, folder);
    expect([await shell.ended, shell.stderr(), shell.stdout()]).toEqual([0, '', '{"name":"Ginkgo biloba"}']);
    expect(readFileSync(join(folder, 'openapi.yaml'), 'utf8')).toMatch(/^openapi: 3\./);
    const reply = await createPlant(service, '{"id":9007199254740993,"name":"Ginkgo biloba"}');
    expect(reply.headers.get('Idempotent-Replayed')).toBe('true');
    await service.stop();
  });

  test('names error numbers, a message and a version that the project has', () => {
    const [, errors = ''] = PAGE.split('\n## Errors\n');
    const numbers = errors.match(/\b[45]\d{4}\b/g) ?? [];
    expect(Object.keys(ERROR_NUMBERS)).toEqual(expect.arrayContaining(numbers));
    expect(errors).toContain(JSON.stringify(failures[40011]));
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    expect(PAGE).toContain(`openapi-fetch@${devDependencies['openapi-fetch'] ?? ''}\``);
  });
});
