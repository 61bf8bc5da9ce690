import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { importRecords } from '../../../src/framework/commands/import.ts';
import { readConfig } from '../../../src/framework/config.ts';
import { percentile, whileServing } from '../../support/crowd.ts';
import { captured } from '../../support/io.ts';
import { ITEMS, runProcess, start, startService } from '../../support/service.ts';
import { testWith } from '../../support/skipping.ts';
import { look, place } from './place.ts';
import { items } from '../items/index.ts';

const MAIN = ITEMS.main;
const NOT_LINUX = process.platform === 'linux' ? undefined : 'it needs Linux';

/** Makes lines of NDJSON with consecutive ids. */
const lines = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => `{"id":${first + index},"name":"Monstera deliciosa"}\n`).join('');

/** Starts an import that reads stdin; the test writes to that stdin. */
function importStdin({ folder, environment }: Pick<Awaited<ReturnType<typeof place>>, 'folder' | 'environment'>) {
  const started = start(process.execPath, [MAIN, 'import', '-'], environment, folder, {}, 'pipe');
  const { stdin } = started.child;
  if (stdin === null) throw new Error('there is no stdin');
  const write = async (text: string) => {
    if (!stdin.write(text)) await new Promise((resolve) => stdin.once('drain', resolve));
  };
  return { ...started, write, end: () => stdin.end() };
}

describe('an import', () => {
  test('reads stdin, and on SIGINT stores the lines that it has read, and stops', async () => {
    const here = await place();
    const { child, write, ended, stdout, stderr } = importStdin(here);
    await write(`bad\n${lines(5000)}`);
    while (look(here.database) === 0) await sleep(50);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(stdout()).toBe('');
    expect(stderr()).toBe(
      'item-store: interrupted; stdin was read up to line 5001: 5000 created, 0 replayed, 0 conflicting, ' +
        '1 refused; run the import again, which replays what is stored\n',
    );
    expect(look(here.database)).toBe(5000);
    expect(readFileSync(join(here.folder, 'stdin.rejects.ndjson'), 'utf8')).toMatch(
      /^\{"line":1,"error":40008,.*\}\n$/,
    );
  });

  test('stores 400,000 lines with a heap that cannot hold them', async () => {
    const { folder, environment } = await place();
    // 80 MB are enough. An import that read ahead of the store needed more than 96 MB for 250,000 lines.
    const heap = { ...environment, NODE_OPTIONS: '--max-old-space-size=96' };
    const { write, end, ended, stdout } = importStdin({ folder, environment: heap });
    for (let first = 0; first < 400_000; first += 10_000) await write(lines(10_000, first));
    end();
    expect(await ended).toBe(0);
    expect(stdout()).toContain('400000 created');
  });

  test('does not keep a running service from creating items', async () => {
    const { folder, database, environment } = await place();
    const service = await startService(environment);
    writeFileSync(join(folder, 'items.ndjson'), lines(100_000));
    const imported = runProcess(['import', 'items.ndjson'], environment, folder);
    const times = await whileServing(service, -1_000_000, imported);
    expect(await imported).toMatchObject({ code: 0 });
    expect(service.log().filter(({ status }) => status === 503)).toEqual([]);
    expect({ p50: percentile(times, 0.5) < 500, all: percentile(times, 1) < 2000 }).toEqual({ p50: true, all: true });
    await service.stop();
    expect(look(database)).toBe(100_000 + times.length);
  });

  testWith(NOT_LINUX, 'shows its progress on a terminal, and erases it at the end', async () => {
    const { folder, environment } = await place();
    writeFileSync(join(folder, 'items.ndjson'), lines(100_000));
    const command = `stty cols 70; "${process.execPath}" "${MAIN}" import items.ndjson`;
    const { ended, stdout } = start('script', ['-qec', command, join(folder, 'typescript')], environment, folder);
    expect(await ended).toBe(0);
    const written = stdout().split('\r');
    const shown = written.filter((each) => /^ *\d+ % {2}[\d,]+ items {2}[\d,]+\/s/.test(each));
    expect(shown.length).toBeGreaterThan(1);
    for (const line of shown) expect(line.replace('\x1b[K', '').length).toBeLessThan(70);
    expect(written.at(-2)).toMatch(/items.ndjson: 100000 records in /);
  });

  testWith(NOT_LINUX, 'waits for a locked store, and gives up after a while', async () => {
    const { folder, database, environment } = await place();
    // The import opens the pipe for reading once its store is open.
    const path = join(folder, 'items.ndjson');
    execFileSync('mkfifo', [path]);
    const { io } = captured(environment, folder);
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
    await sleep(2500);
    other.exec('rollback');
    other.close();
    await again;
    expect(look(database)).toBe(3000);
  });
});
