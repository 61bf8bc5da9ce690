import { carried, exactJson } from 'trellis-contract/ground';
import { read } from './derived/spelling.ts';
import type { TypeReply } from './typed-reply.ts';

/** What a service has answered. */
export interface Answer<Body = Readonly<Record<string, unknown>>> {
  readonly status: number;
  readonly headers: Headers;
  /** undefined: the reply has no body. */
  readonly body: Body;
}

/**
 * A client that speaks int64: all digits of a bigint in a body are sent. In a reply, an int64 of the contract is a bigint,
 * and any other number is a number, as its operation had them. Without the service, each integer is a bigint.
 */
export class Client {
  protected readonly url: string;
  private readonly token: Readonly<Record<string, string>>;
  private readonly contract: URL | undefined;
  private known: Promise<TypeReply> | undefined;

  /** @param token without it, requests have no token @param carrier the header field of a scheme of type apiKey */
  constructor({
    url,
    service,
    token,
    carrier = 'Authorization',
  }: {
    readonly url: string;
    readonly service?: { readonly contract: URL };
    readonly token?: string | undefined;
    readonly carrier?: string;
  }) {
    this.url = url;
    this.contract = service?.contract;
    this.token = token === undefined ? {} : { [carrier]: carried(carrier, token) };
  }

  /** The contract is read for the first reply. */
  private get typing(): Promise<TypeReply> | undefined {
    const { contract } = this;
    if (contract !== undefined) this.known ??= import('./typed-reply.ts').then(({ typingBy }) => typingBy(contract));
    return this.known;
  }

  /**
   * @param body JSON, or a string, which is a text, or a Uint8Array: `headers` then says its Content-Type, if it is neither
   *   text/plain nor application/octet-stream
   * @typeParam Body what the test expects of a reply: nothing checks it
   */
  async send<Body = Answer['body']>(
    method: string,
    path: string,
    body?: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body>> {
    const reply = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...this.token,
        ...(body !== undefined && { 'Content-Type': typeOf(body) }),
        ...headers,
      },
      body: body === undefined ? null : isPlain(body) ? body : exactJson(body),
    });
    const sent = await bodyOf(reply);
    const typing = isBytes(sent) ? undefined : await this.typing;
    const typed = typing?.(sent, { method, path, status: reply.status }) ?? sent;
    return { status: reply.status, headers: reply.headers, body: typed as Body };
  }
}

const isBytes = (body: unknown): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array;
const isPlain = (body: object | string) => typeof body === 'string' || isBytes(body);

function typeOf(body: object | string): string {
  if (typeof body === 'string') return 'text/plain';
  return isPlain(body) ? 'application/octet-stream' : 'application/json';
}

/** JSON as `read` reads it, a text as a string, any other body as a Uint8Array; undefined: the reply has none. */
async function bodyOf(reply: Response): Promise<unknown> {
  const type = reply.headers.get('content-type') ?? '';
  if (type.startsWith('text/')) return await reply.text();
  if (type !== '' && !/[/+]json\b/.test(type)) return await reply.bytes();
  const text = await reply.text();
  return text === '' ? undefined : read(text);
}
