import { Client } from 'pg';

/** A connection that stays open, for transactions in several steps. */
export class Session implements AsyncDisposable {
  private readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  static async open(url: string): Promise<Session> {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
    // When the connection breaks, the query under way rejects, so this event needs no handling.
    client.on('error', () => undefined);
    await client.connect();
    return new Session(client);
  }

  /** Runs statements. Returns the rows, if it is one statement. */
  async run(text: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.client.query<Record<string, unknown>>(text);
    return rows;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.end();
  }
}
