import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import { readPassfile } from './passfile.ts';

/** Where a PostgreSQL server listens; a host that begins with a slash is the folder of a Unix socket. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

/** How far the server must prove who it is, as `sslmode` of libpq has it. Keys and certificates are PEM texts. */
export interface Tls {
  readonly mode: (typeof TLS_MODES)[number];
  readonly ca?: string | string[];
  readonly cert?: string;
  readonly key?: string;
}

/** A database, as a connection URI names it (PostgreSQL's documentation, section 32.1.1.2). */
export interface PostgresLocation {
  readonly engine: 'postgres';
  /** As libpq reads it, for programs that do: all that was given but the password. */
  readonly url: string;
  /** Tried one after the other, until one takes writes. */
  readonly hosts: readonly Host[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: Tls;
  readonly applicationName: string;
  /** For each host. */
  readonly connectTimeoutMs: number;
}

const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

const PARAMETERS = [
  'application_name',
  'connect_timeout',
  'host',
  'passfile',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslrootcert',
  'target_session_attrs',
];

const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;

/**
 * Reads `postgres://user:password@host:port,host:port/database?sslmode=…`.
 *
 * @throws Error whose message continues the name of the setting; the text may hold a password: it is not repeated
 */
export function readPostgresLocation(text: string): PostgresLocation {
  const [match, credentials = '', authority = '', path = '', query = ''] = FORM.exec(text) ?? [];
  if (match === undefined) throw new Error('must be postgres://user:password@host:port/database');
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (!PARAMETERS.includes(name)) throw new Error(`has a parameter that is none of ${PARAMETERS.join(', ')}`);
  }
  if ((parameters.get('target_session_attrs') ?? 'read-write') !== 'read-write') {
    throw new Error('must have target_session_attrs=read-write, or none: the service writes');
  }
  const colon = credentials.indexOf(':');
  const user = decode(colon < 0 ? credentials : credentials.slice(0, colon));
  const database = decode(path);
  if (user === '' || database === '') throw new Error('must name a user and a database: postgres://user@host/database');
  const hosts = (parameters.get('host') ?? authority).split(',').map(readHost);
  const passfile = colon < 0 ? parameters.get('passfile') : null;
  const written = colon < 0 ? '' : decode(credentials.slice(colon + 1));
  return {
    engine: 'postgres',
    url: `postgres://${credentials.replace(/:.*/s, '')}@${authority}/${path}${forLibpq(query, parameters, hosts)}`,
    hosts,
    user,
    password: passfile === null ? written : readPassfile(passfile, hosts, database, user),
    database,
    tls: readTls(parameters),
    applicationName: parameters.get('application_name') ?? 'plant-store',
    connectTimeoutMs: 1000 * readSeconds(parameters.get('connect_timeout') ?? '2'),
  };
}

/** Of several hosts, libpq takes the first that answers, unless it is told otherwise. */
function forLibpq(query: string, parameters: URLSearchParams, hosts: readonly Host[]): string {
  const isSaid = hosts.length === 1 || parameters.has('target_session_attrs');
  const all = [query, isSaid ? '' : 'target_session_attrs=read-write'].filter((each) => each !== '');
  return all.length === 0 ? '' : `?${all.join('&')}`;
}

function readHost(text: string): Host {
  const [match, bracketed, plain = '', port = '5432'] =
    /^(?:\[([\da-f:.%]+)\]|([^:[\]@]*))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = decode(bracketed ?? plain);
  if (match === undefined || host === '' || Number(port) > 65535) {
    throw new Error('must name hosts as host:port, separated by commas');
  }
  return { host, port: Number(port) };
}

function readTls(parameters: URLSearchParams): Tls {
  const [rootCert, certFile, keyFile] = ['sslrootcert', 'sslcert', 'sslkey'].map((name) => parameters.get(name));
  const wanted = parameters.get('sslmode') ?? (rootCert === 'system' ? 'verify-full' : 'prefer');
  const mode = TLS_MODES.find((each) => each === wanted);
  if (mode === undefined) throw new Error(`must have an sslmode of ${TLS_MODES.join(', ')}`);
  if ((certFile === undefined || certFile === null) !== (keyFile === undefined || keyFile === null)) {
    throw new Error('must have sslcert and sslkey, or neither');
  }
  return {
    // As libpq does: who names a root certificate wants it to count.
    mode: mode === 'require' && rootCert !== null ? 'verify-ca' : mode,
    ...(rootCert ? { ca: rootCert === 'system' ? getCACertificates('system') : readPem('sslrootcert', rootCert) } : {}),
    ...(certFile && keyFile ? { cert: readPem('sslcert', certFile), key: readPem('sslkey', keyFile) } : {}),
  };
}

function readPem(name: string, path: string): string {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`has an ${name} that cannot be read: ${Error.isError(error) ? error.message : ''}`, {
      cause: error,
    });
  }
  if (!text.includes('-----BEGIN ')) throw new Error(`has an ${name} that is not in PEM form: ${path}`);
  return text;
}

function readSeconds(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error('must have a connect_timeout in seconds, from 1 to 9999');
  return Number(text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('is not percent-encoded UTF-8');
  }
}

/** As it is shown: never with the password. */
export function nameOf({ hosts, database }: Pick<PostgresLocation, 'hosts' | 'database'>): string {
  return `${hosts.map(nameOfHost).join()}/${database}`;
}

export function nameOfHost({ host, port }: Host): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
