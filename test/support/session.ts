import { Client } from 'pg';

/** A connection that stays, for transactions by hand. */
export class Session implements AsyncDisposable {
  private readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  static async open(url: string): Promise<Session> {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
    // What is under way fails by itself.
    client.on('error', () => undefined);
    await client.connect();
    return new Session(client);
  }

  /** Runs statements, and answers with the rows of one that is alone. */
  async run(text: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.client.query<Record<string, unknown>>(text);
    return rows;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.end();
  }
}
