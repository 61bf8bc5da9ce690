import postgres from 'postgres';

/** A connection that stays, for transactions by hand. */
export class Session implements AsyncDisposable {
  private readonly client: postgres.Sql;

  private constructor(client: postgres.Sql) {
    this.client = client;
  }

  static async open(url: string): Promise<Session> {
    const client = postgres(url, { max: 1, onnotice: () => undefined });
    await client.unsafe('select 1');
    return new Session(client);
  }

  async run(text: string): Promise<Record<string, unknown>[]> {
    return [...(await this.client.unsafe<Record<string, unknown>[]>(text))];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.client.end({ timeout: 1 });
  }
}
