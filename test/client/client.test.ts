import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { page } from '../support/readme.ts';
import { plantStore, ROOT, start, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';

const PROGRAM = join(import.meta.dirname, 'add-plant.ts');

test('the client of the README adds a plant, with every digit of its id', async () => {
  const source = readFileSync(PROGRAM, 'utf8').replace('../../generated/', './');
  expect(page('README')).toContain(`\`\`\`ts\n${source}\`\`\``);

  const DATABASE_URL = `sqlite:${join(temporaryFolder(), 'plants.db')}`;
  const service = await startService({ DATABASE_URL });
  const add = async (ACCESS_TOKEN: string) => {
    const program = start(process.execPath, [PROGRAM], { PLANT_STORE_URL: service.url, ACCESS_TOKEN }, ROOT);
    expect(await program.ended).toBe(0);
    return program.stdout();
  };
  expect(await add(service.token)).toBe('Ginkgo biloba is new\n');
  expect(await add(service.token)).toBe('Ginkgo biloba was there\n');
  expect(await add('x')).toBe('40101 the access token is unknown, revoked or expired\n');
  await service.stop();
  const { stdout } = await plantStore(['export'], { DATABASE_URL });
  expect(stdout).toBe('{"id":9007199254740993,"name":"Ginkgo biloba"}\n');
});
