import { carried } from '../src/contract/caller.ts';
import { exactJson } from '../src/contract/schema/int64.ts';
import { read } from './derived/spelling.ts';

/** What a service has answered. */
export interface Answer<Body = Readonly<Record<string, unknown>>> {
  readonly status: number;
  readonly headers: Headers;
  /** Integers are bigints, so that no int64 is rounded; undefined: the reply has no body. */
  readonly body: Body;
}

/** A client that speaks int64: all digits of a bigint in a body are sent, and each integer of a reply is a bigint. */
export class Client {
  protected readonly url: string;
  private readonly token: Readonly<Record<string, string>>;

  /** @param token without it, requests have no token @param carrier the header field of a scheme of type apiKey */
  constructor({
    url,
    token,
    carrier = 'Authorization',
  }: {
    readonly url: string;
    readonly token?: string | undefined;
    readonly carrier?: string;
  }) {
    this.url = url;
    this.token = token === undefined ? {} : { [carrier]: carried(carrier, token) };
  }

  /** @typeParam Body what the test expects of a reply: nothing checks it */
  async send<Body = Answer['body']>(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body>> {
    const reply = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...this.token,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body ? exactJson(body) : null,
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, body: (text === '' ? undefined : read(text)) as Body };
  }
}
