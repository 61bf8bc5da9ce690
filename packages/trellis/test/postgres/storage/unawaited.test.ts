import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sharedPostgres } from '../../support/postgres.ts';
import { ROOT, start } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

test.each(['SQLite', 'PostgreSQL'])(
  'a transaction on %s whose failed queries are not awaited leaves the process alive, and loses no update',
  async (engine) => {
    const server = engine === 'PostgreSQL' ? await sharedPostgres() : undefined;
    const url = server?.url(await server.createDatabase()) ?? `sqlite:${join(temporaryFolder(), 'store.db')}`;
    const { ended, stdout, stderr } = start(
      process.execPath,
      ['packages/trellis/test/postgres/storage/unawaited.ts', url],
      {},
      ROOT,
    );
    expect([await ended, stderr()]).toEqual([0, '']);
    expect(JSON.parse(stdout())).toEqual({
      early: 'Error: too early',
      count: '40',
      rows: 2,
      refused: expect.stringContaining('ConstraintViolated'),
    });
  },
);
