import { PostgresServer } from '../support/postgres.ts';
import { endings, Scratch } from './servers.ts';

/** What PostgreSQL comes with: the servers of the tests, of which many run at once, make do with less. */
const SETTINGS = { shared_buffers: '128MB' };

/**
 * Stores on one PostgreSQL server, which runs on the disk that stores on SQLite are on, with the settings that PostgreSQL
 * comes with. It is not bound to a core, as server and load are: its processes run on theirs.
 */
export class PostgresStores implements AsyncDisposable {
  private readonly scratch: Scratch;
  private readonly server: PostgresServer;
  private readonly endNow: () => void;
  private databases = 0;

  private constructor(server: PostgresServer, scratch: Scratch) {
    this.server = server;
    this.scratch = scratch;
    this.endNow = () => {
      server.stopNow();
    };
    endings.add(this.endNow);
  }

  static async start(): Promise<PostgresStores> {
    const scratch = new Scratch();
    const stores = new PostgresStores(await PostgresServer.prepare(scratch.folder), scratch);
    await stores.server.initialise(SETTINGS);
    return stores;
  }

  /** A database for an empty store. */
  async createDatabase(): Promise<{ readonly url: string } & AsyncDisposable> {
    const name = `bench_${++this.databases}`;
    await this.server.query(`create database ${name}`);
    return {
      url: this.server.url(name),
      // PostgreSQL makes a checkpoint of it: nothing of this is left to write when the next server is measured.
      [Symbol.asyncDispose]: async () => {
        await this.server.query(`drop database ${name} with (force)`);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop();
    endings.delete(this.endNow);
    this.scratch[Symbol.dispose]();
  }
}
