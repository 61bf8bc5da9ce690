import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, isIP } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { Interrupted, TlsRefused } from './errors.ts';
import type { Host, PostgresLocation, Tls } from './location.ts';
import { nameOfHost } from './location.ts';

/** SSLRequest and the head of CancelRequest of PostgreSQL's protocol (its documentation, section 54.7). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const CANCEL_REQUEST = [0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e];

/**
 * Opens a connection to a host, with TLS as the settings want it, ready for the protocol's start. The client of
 * PostgreSQL could do this itself, but goes round in circles for ever when none of several hosts answers (its issue
 * 1174), and holds a certificate for an address against `localhost`.
 *
 * @throws TlsRefused, or what the system says
 */
export async function dial(
  host: Host,
  { tls, connectTimeoutMs }: PostgresLocation,
  signal: AbortSignal,
): Promise<Socket> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(connectTimeoutMs)]);
  const socket = host.host.startsWith('/')
    ? connect(`${host.host}/.s.PGSQL.${String(host.port)}`)
    : connect({ host: host.host, port: host.port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 10_000 });
  try {
    await once(socket, 'connect', { signal: inTime });
    // A Unix socket has no use for it, as with libpq.
    if (tls.mode === 'disable' || host.host.startsWith('/')) return socket;
    return await secure(socket, host, tls, inTime);
  } catch (error) {
    socket.destroy();
    if (inTime.aborted && !signal.aborted) {
      throw new Interrupted(`no answer from ${nameOfHost(host)}`, { cause: error });
    }
    throw error;
  }
}

async function secure(socket: Socket, { host }: Host, { mode, ...files }: Tls, signal: AbortSignal): Promise<Socket> {
  socket.write(SSL_REQUEST);
  const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
  if (answer.equals(Buffer.from('N'))) {
    if (mode === 'prefer') return socket;
    throw new TlsRefused(`offers no TLS, which sslmode=${mode} asks for`);
  }
  // More than one byte would be sent by somebody who can write into the connection before it is secure.
  if (!answer.equals(Buffer.from('S'))) throw new Interrupted('the server does not speak the protocol of PostgreSQL');
  const verified = mode === 'verify-ca' || mode === 'verify-full';
  const secured = connectTls({
    ...files,
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: verified,
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  });
  try {
    await once(secured, 'secureConnect', { signal });
  } catch (error) {
    if (signal.aborted || !verified) throw error;
    throw new TlsRefused(`has a certificate that is refused: ${Error.isError(error) ? error.message : ''}`, {
      cause: error,
    });
  }
  return secured;
}

/** Asks the server to give up what a connection of it is doing. It never says whether it did. */
export async function cancel(
  host: Host,
  location: PostgresLocation,
  { pid, secret }: { readonly pid: number; readonly secret: number },
): Promise<void> {
  const request = Buffer.from([...CANCEL_REQUEST, 0, 0, 0, 0, 0, 0, 0, 0]);
  request.writeUInt32BE(pid, 8);
  request.writeUInt32BE(secret, 12);
  const socket = await dial(host, location, AbortSignal.timeout(location.connectTimeoutMs));
  socket.on('error', () => undefined);
  socket.end(request);
}

/** The client waits for ever for a connection that it does not get; one that breaks it gives up. */
export function broken(failure: Error): Duplex {
  return new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, callback) => {
      callback(failure);
    },
  });
}
