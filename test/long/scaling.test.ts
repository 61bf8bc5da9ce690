import { expect } from '@jest/globals';
import { Citus, noCitus } from '../../packages/trellis/test/support/citus.ts';
import { addTokens } from '../../packages/trellis/test/support/place.ts';
import { Project } from '../../packages/trellis/test/support/project.ts';
import { blocks, run } from '../../packages/trellis/test/support/readme.ts';
import { testWith } from '../../packages/contract/test/support/skipping.ts';
import { Testbed } from '../../packages/trellis/test/support/testbed.ts';
import { until } from '../../packages/trellis/test/support/until.ts';
import { PLANTS } from '../support.ts';

const PLANTS_BEFORE = 10_000;

testWith(
  noCitus,
  'the lines of docs/scaling.md spread 10,000 plants over two workers under load, without a false answer',
  async () => {
    await using cluster = await Citus.start();
    const project = new Project();
    for (const worker of ['worker1', 'worker2'] as const) {
      await cluster.query('alter system set wal_level = logical', 'postgres', worker);
      await cluster.kill(worker);
      await cluster.restart(worker);
    }
    const database = await cluster.createDatabase();
    await cluster.query('select citus_remove_node(nodename, nodeport) from pg_dist_node', database);
    const url = cluster.url(database);
    const [token = ''] = await addTokens(url, 1, PLANTS);
    const place = { program: PLANTS, url, token, [Symbol.asyncDispose]: () => Promise.resolve() };
    await using testbed = new Testbed(place, 31);
    await cluster.query(
      `insert into plants select id, 'Plant ' || id from generate_series(1, ${PLANTS_BEFORE}) as id`,
      database,
    );
    const addresses = [
      ['10.0.0.1', 'coordinator'],
      ['10.0.0.2', 'worker1'],
      ['10.0.0.3', 'worker2'],
    ] as const;
    const here = (line: string) =>
      addresses.reduce((text, [example, node]) => {
        const [host = '', port = ''] = cluster.addressOf(node).split(':');
        return text.replace(`'${example}', 5432`, `'${host}', ${port}`);
      }, line);
    const services = await testbed.startTwo();
    using load = testbed.load(16, services);
    const lines = ['From one PostgreSQL to many', 'Add a worker'].flatMap((heading) =>
      blocks('scaling', heading, 'sh'),
    );
    expect(lines).toHaveLength(5);
    for (const line of lines) {
      const from = load.acknowledged;
      await until(() => load.broken || load.acknowledged > from + 100);
      const { code, stderr } = await run(project, `set -euo pipefail; export DATABASE_URL='${url}'\n${here(line)}`);
      expect({ line, code, stderr }).toMatchObject({ line, code: 0 });
    }
    await load.stop();
    const shards = await cluster.query('select nodename, nodeport, count(*) from citus_shards group by 1, 2', database);
    const removed = await cluster.query(
      `delete from plants where id between 1 and ${PLANTS_BEFORE} returning id`,
      database,
    );
    const found = await testbed.check();
    for (const service of services) await service.stop();
    expect(shards).toHaveLength(2);
    expect(removed).toHaveLength(PLANTS_BEFORE);
    expect(found).toMatchObject({ lost: 0, phantoms: 0 });
    expect(services.every(({ stdout }) => stdout().includes('tables are spread over the workers of Citus'))).toBe(true);
  },
);
