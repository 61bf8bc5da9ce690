import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { importRecords } from '../../../src/commands/import.ts';
import { readConfig } from '../../../src/config.ts';
import { captured } from '../../support/io.ts';
import { testWith } from '../../../../contract/test/support/skipping.ts';
import { importStdin, lines, look, place } from '../../support/item-store.ts';
import { until } from '../../support/until.ts';
import { items } from '../../services/items/index.ts';

const NOT_LINUX = process.platform === 'linux' ? undefined : 'it needs Linux';

describe('an import', () => {
  test('reads stdin, and on SIGINT stores the lines that it has read, and stops', async () => {
    const here = await place();
    const { child, write, ended, stdout, stderr } = importStdin(here);
    await write(`bad\n${lines(5000)}`);
    await until(() => look(here.database));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(stdout()).toBe('');
    // The signal may come while some lines are in the pipe.
    const [line = NaN, created = NaN] = (stderr().match(/\d+/g) ?? []).map(Number);
    expect(stderr()).toBe(
      `item-store: interrupted; stdin was read up to line ${line}: ${created} created, 0 replayed, 0 conflicting, ` +
        '1 refused; run the import again, which replays what is stored\n',
    );
    expect([line, look(here.database)]).toEqual([created + 1, created]);
    expect(readFileSync(join(here.folder, 'stdin.rejects.ndjson'), 'utf8')).toMatch(
      /^\{"line":1,"error":40008,.*\}\n$/,
    );
  });

  testWith(NOT_LINUX, 'waits for a locked store, and gives up after a while', async () => {
    const { folder, database, environment } = await place();
    // The import opens the pipe for reading once its store is open.
    const path = join(folder, 'items.ndjson');
    execFileSync('mkfifo', [path]);
    const { io, stderr } = captured(environment, folder);
    const job = { service: items, config: readConfig(items, environment), io };
    const other = new DatabaseSync(database);
    const imported = importRecords(job, path, {}, 1500);
    const failure = expect(imported).rejects.toThrow(
      'SQLite cannot do this at the moment: database is locked; items.ndjson was read up to line 0: 0 created, ' +
        '0 replayed, 0 conflicting, 0 refused; run the import again, which replays what is stored',
    );
    const pipe = await open(path, 'w');
    other.exec('begin immediate');
    await pipe.writeFile(lines(3000));
    await pipe.close();
    await failure;
    other.exec('rollback');

    const again = importRecords(job, path, {});
    const secondPipe = await open(path, 'w');
    other.exec('begin immediate');
    await secondPipe.writeFile(lines(3000));
    await secondPipe.close();
    await until(() => stderr().includes('the store is unavailable, retrying for 60 s'));
    other.exec('rollback');
    other.close();
    await again;
    expect(look(database)).toBe(3000);
  });
});
