import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PostgresServer } from '../../packages/trellis/test/support/postgres.ts';
import { blocks, page } from '../../packages/trellis/test/support/readme.ts';
import { ROOT, type Service, start, startService } from '../../packages/trellis/test/support/service.ts';
import { describeWith } from '../../packages/contract/test/support/skipping.ts';
import { temporaryFolder } from '../../packages/contract/test/support/temporary.ts';
import { createPlant, plantStore, startPlants, YAML } from '../support.ts';

const PAGE = page('clients');
/** The commands that make clients, and those that run programs. Go and Java are too much to install for a test. */
const COMMANDS = Array.from(PAGE.matchAll(/`((?:npx|uv|uvx) [^`]+)`/g), ([, command = '']) => command);

const BANK = join(ROOT, 'examples/bank');

const missing = spawnSync('pip3', ['--version']).status === 0 ? undefined : 'there is no pip3 (Debian: python3-pip)';

describeWith(missing, 'docs/clients.md', () => {
  const folder = temporaryFolder();
  const tools = temporaryFolder();
  const DATABASE_URL = `sqlite:${join(temporaryFolder(), 'plants.db')}`;
  let service: Service;

  /** Runs a command line of the page, with the Node of this process. */
  const run = async (line: string, { url, token } = service) => {
    const PATH = [dirname(process.execPath), join(tools, 'bin'), process.env['PATH']].join(':');
    // Variables of the environment tell pip, uv and npm which certificates to trust.
    const environment = { ...(process.env as Record<string, string>), PATH, npm_config_yes: 'true' };
    const variables = { ...environment, PLANT_STORE_URL: url, ACCESS_TOKEN: token };
    const shell = start('bash', ['-c', line], variables, folder);
    return { code: await shell.ended, stdout: shell.stdout(), stderr: shell.stderr() };
  };
  const must = async (line: string, tested = service) => {
    const ended = await run(line, tested);
    if (ended.code !== 0) throw new Error(`${line}: ${JSON.stringify(ended)}`);
    return ended.stdout;
  };
  const command = (part: string) => {
    const found = COMMANDS.find((each) => each.includes(part));
    if (found === undefined) throw new Error(`the page has no command with ${part}`);
    return found;
  };
  /** Returns a program of the page, changed so that it creates another plant. */
  const program = (heading: string, language: string, index: number, id: string, name: string) =>
    (blocks('clients', heading, language)[index] ?? '')
      .replace('9007199254740993', id)
      .replace('Ginkgo biloba', name)
      .replace('http://127.0.0.1:3000', service.url);

  beforeAll(async () => {
    service = await startPlants({ DATABASE_URL });
    writeFileSync(join(folder, 'openapi.yaml'), YAML);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'int64.ts'), blocks('clients', 'TypeScript', 'ts').join('\n'));
    await must(`pip3 install --quiet --target ${tools} uv==0.13.9`);
  });
  afterAll(async () => {
    await service.stop();
  });

  test('shows clients in TypeScript and Python that keep every digit of an id', async () => {
    writeFileSync(join(folder, 'orval.config.ts'), program('orval', 'ts', 0, '', ''));
    writeFileSync(join(folder, 'hey.ts'), program('hey-api', 'ts', 0, '9007199254740995', 'hey-api'));
    writeFileSync(join(folder, 'plants.ts'), program('orval', 'ts', 1, '9007199254740997', 'orval'));
    await must(command('hey-api'));
    await must(command('orval'));
    const modules = join(ROOT, 'node_modules');
    const options = '--noEmit --strict --target esnext --module esnext --moduleResolution bundler --types node';
    const paths = `--allowImportingTsExtensions --typeRoots ${modules}/@types`;
    await must(`${modules}/.bin/tsc ${options} ${paths} hey.ts plants.ts`);
    expect(await must(command('tsx').replace('FILE', 'hey.ts'))).toContain("{ name: 'hey-api' }");
    expect(await must('node plants.ts')).toContain("{ name: 'orval' }");

    await must(command('openapi-python-client'));
    writeFileSync(join(folder, 'add_plant.py'), program('Python', 'python', 0, '9007199254740999', 'httpx'));
    expect(await must(command('--with ./plant-store-client'))).toContain("Plant(name='httpx'");
    await must(command('-g python'));
    writeFileSync(join(folder, 'add_plant.py'), program('Python', 'python', 1, '9007199254741001', 'urllib3'));
    expect(await must(command('--with ./python'))).toContain("name='urllib3'");

    const { stdout } = await plantStore(['export'], { DATABASE_URL });
    expect(stdout.match(/90071992547.*/g)).toEqual([
      '9007199254740995,"name":"hey-api"}',
      '9007199254740997,"name":"orval"}',
      '9007199254740999,"name":"httpx"}',
      '9007199254741001,"name":"urllib3"}',
    ]);
  });

  test('says what hey-api and orval do without the lines of int64.ts, or with their defaults', async () => {
    const without = (file: string, heading: string, index: number) => {
      writeFileSync(join(folder, file), program(heading, 'ts', index, '1', 'x').replace("import './int64.ts';\n", ''));
    };
    without('hey.ts', 'hey-api', 0);
    expect(await must(command('tsx').replace('FILE', 'hey.ts'))).toContain('body.id must be an integer');
    without('plants.ts', 'orval', 1);
    expect((await run('node plants.ts')).stderr).toContain('TypeError: Do not know how to serialize a BigInt');

    await must(command('hey-api').replace(' @hey-api/transformers', ''));
    const config = program('orval', 'ts', 0, '', '').replace(', override: { useBigInt: true }', '');
    writeFileSync(join(folder, 'orval.config.ts'), config);
    await must(command('orval'));
    for (const types of ['hey-api/types.gen.ts', 'orval.ts'])
      expect(readFileSync(join(folder, types), 'utf8')).toContain('id: number;');
  });

  test('shows the names of the functions that OpenAPI Generator generates for Java and Go', async () => {
    await must(command('-g java'));
    await must(command('-g go'));
    const java = join(folder, 'java/src/main/java/org/openapitools/client');
    expect(readFileSync(join(java, 'api/PlantsApi.java'), 'utf8')).toContain('Plant createPlant(');
    expect(readFileSync(join(java, 'model/NewPlant.java'), 'utf8')).toContain('Nonnull Long id)');
    expect(readFileSync(join(folder, 'go/model_plant_to_add.go'), 'utf8')).toContain(
      'NewPlantToAdd(id int64, name string)',
    );
  });

  test('keeps every cent of the bank with a generated client in TypeScript and one in Python', async () => {
    const tested = await startService({}, ROOT, join(BANK, 'main.ts'));
    const place = temporaryFolder();
    copyFileSync(join(BANK, 'openapi.yaml'), join(folder, 'bank.yaml'));
    const [from, to, first, second] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    copyFileSync(join(folder, 'int64.ts'), join(place, 'int64.ts'));
    copyFileSync(join(BANK, 'generated/openapi.ts'), join(place, 'openapi.ts'));
    symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'));
    writeFileSync(
      join(place, 'move.ts'),
      `import './int64.ts';
import createClient from 'openapi-fetch';
import type { paths } from './openapi.ts';
const { PLANT_STORE_URL: baseUrl = '', ACCESS_TOKEN } = process.env;
const bank = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${ACCESS_TOKEN}\` } });
const account = { owner: 'Ada', currency: 'EUR', opening_balance: 9007199254740993n } as const;
await bank.POST('/accounts', { body: { ...account, id: '${from}' } });
await bank.POST('/accounts', { body: { ...account, id: '${to}' } });
const body = { id: '${first}', from_account: '${from}', to_account: '${to}', amount: 9007199254740993n };
// JSON.parse would round the amount of the reply.
const { data } = await bank.POST('/transfers', { body, parseAs: 'text' });
console.log(data);
`,
    );
    expect(await must(`node ${join(place, 'move.ts')}`, tested)).toContain('"amount":9007199254740993');
    await must(command('openapi-python-client').replace('openapi.yaml', 'bank.yaml'));
    writeFileSync(
      join(folder, 'move.py'),
      `import os
from bank_client import AuthenticatedClient
from bank_client.api.accounts import get_account
from bank_client.api.transfers import transfer
from bank_client.models import NewTransfer

client = AuthenticatedClient(base_url=os.environ["PLANT_STORE_URL"], token=os.environ["ACCESS_TOKEN"])
body = NewTransfer(id="${second}", from_account="${to}", to_account="${from}", amount=9007199254740993)
print(transfer.sync(client=client, body=body).amount)
print([get_account.sync(id=each, client=client).balance for each in ["${from}", "${to}"]])
`,
    );
    const line = command('--with ./plant-store-client').replace('plant-store-client', 'bank-client');
    expect(await must(line.replace('add_plant.py', 'move.py'), tested)).toBe(
      '9007199254740993\n[9007199254740993, 9007199254740993]\n',
    );
    await tested.stop();
  });

  test.each(['plants, some of whose ids are taken,', 'the bank on SQLite', 'the bank on PostgreSQL'])(
    'shows a run of Schemathesis that finds no issues in %s',
    async (which) => {
      const isBank = which.startsWith('the bank');
      await using server = which.endsWith('PostgreSQL') ? await PostgresServer.create() : undefined;
      const settings = server === undefined ? {} : { DATABASE_URL: server.url() };
      const tested = isBank ? await startService(settings, ROOT, join(BANK, 'main.ts')) : await startPlants();
      for (const id of isBank ? [] : [1, 2])
        expect((await createPlant(tested, `{"id":${id},"name":"taken"}`)).status).toBe(200);
      copyFileSync(join(ROOT, 'schemathesis.toml'), join(folder, 'schemathesis.toml'));
      const [line = ''] = blocks('clients', 'Schemathesis', 'sh');
      expect(await must(line, tested)).toContain('No issues found');
    },
    600_000,
  );
});
