import { readFileSync } from 'node:fs';
import { messageOf } from 'trellis-contract/ground';
import { shellWord } from '../../shell.ts';

/** A host that begins with a slash is the folder of a Unix socket. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

/** Keys and certificates are PEM texts. */
interface Tls {
  readonly mode: (typeof TLS_MODES)[number];
  readonly ca?: string | string[];
  readonly cert?: string;
  readonly key?: string;
}

/** A database, as a connection URI names it (PostgreSQL's documentation, section 32.1.1.2). */
export interface PostgresLocation {
  readonly engine: 'postgres';
  /** The URL for programs that use libpq, without the password. */
  readonly url: string;
  /** The service tries the hosts in this order until one accepts writes. */
  readonly hosts: readonly Host[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: Tls;
  /** By default, the name of the service. */
  readonly applicationName?: string;
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

/** Parameters of providers, which other programs read. */
const CURES: ReadonlyMap<string, string> = new Map([
  ['channel_binding', 'set sslmode=verify-full and sslrootcert=system instead, which verify the server'],
  ['pgbouncer', 'connect to the server itself, or to a pooler in session mode (its port is often 5432, not 6543)'],
]);

const WRITTEN =
  'postgres://user:password@host:port/database, with user and password percent-encoded: %23 for #, %2F for /, %3F for ?, %40 for @ and %25 for %';

/** `user:password@`, the hosts, the database and the parameters. */
const FORM = /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;

/** @throws Error whose message follows the setting's name, and does not quote the text: it may contain a password */
export function readPostgresLocation(text: string): PostgresLocation {
  const [match, login = '', written, authority = '', path = '', query = ''] = FORM.exec(text) ?? [];
  const parameters = new URLSearchParams(query);
  const strange = parameters.keys().find((name) => !PARAMETERS.includes(name));
  // A password with one of these characters ends there, and its rest looks like another part: no message quotes it.
  const isCut = [authority, path, login === '' || strange !== undefined ? query : ''].some((part) =>
    part.includes('@'),
  );
  if (match === undefined || isCut) throw new Error(`must be ${WRITTEN}`);
  if (strange !== undefined) {
    const cure = CURES.get(strange) ?? `the service knows ${PARAMETERS.join(', ')}`;
    throw new Error(`must not have the parameter ${strange}: remove it; ${cure}`);
  }
  if ((parameters.get('target_session_attrs') ?? 'read-write') !== 'read-write') {
    throw new Error('must have target_session_attrs=read-write or no target_session_attrs: the service must write');
  }
  const [user, given, database] = [decode(login), decode(written ?? ''), decode(path)];
  if (user === '' || database === '') throw new Error(`must name a user and a database: ${WRITTEN}`);
  const hosts = (parameters.get('host') ?? authority).split(',').map(readHost);
  const passfile = parameters.get('passfile');
  const isInFile = written === undefined && passfile !== null;
  const password = isInFile ? readPassfile(passfile, hosts, database, user) : given;
  const applicationName = parameters.get('application_name');
  const seconds = parameters.get('connect_timeout') ?? '2';
  if (!/^[1-9]\d{0,3}$/.test(seconds)) throw new Error('must have a connect_timeout in seconds, from 1 to 9999');
  // By default libpq uses the first of several hosts that answers, even if it is read-only.
  const isWritable = hosts.length === 1 || parameters.has('target_session_attrs');
  const forLibpq = [query, isWritable ? '' : 'target_session_attrs=read-write'].filter((each) => each !== '').join('&');
  return {
    engine: 'postgres',
    url: `postgres://${login}@${authority}/${path}${forLibpq && `?${forLibpq}`}`,
    hosts,
    user,
    password,
    database,
    tls: readTls(parameters),
    ...(applicationName !== null && { applicationName }),
    connectTimeoutMs: 1000 * Number(seconds),
  };
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
  const rootCert = parameters.get('sslrootcert');
  const cert = parameters.get('sslcert');
  const key = parameters.get('sslkey');
  const wanted = parameters.get('sslmode') ?? (rootCert === 'system' ? 'verify-full' : 'prefer');
  const mode = TLS_MODES.find((each) => each === wanted);
  if (mode === undefined) throw new Error(`must have an sslmode of ${TLS_MODES.join(', ')}`);
  if ((cert === null) !== (key === null)) throw new Error('must have sslcert and sslkey, or neither');
  return {
    // As in libpq, a root certificate turns `require` into `verify-ca`.
    mode: mode === 'require' && rootCert !== null ? 'verify-ca' : mode,
    ...(rootCert ? { ca: rootCert === 'system' ? systemCertificates() : readPem('sslrootcert', rootCert) } : {}),
    ...(cert && key ? { cert: readPem('sslcert', cert), key: readPem('sslkey', key) } : {}),
  };
}

/** Each command reads a location, and few of them need TLS, which takes 20 ms to load. */
function systemCertificates(): string[] {
  return process.getBuiltinModule('node:tls').getCACertificates('system');
}

function readPem(name: string, path: string): string {
  const text = readText(name, path);
  if (!text.includes('-----BEGIN ')) throw new Error(`must have an ${name} in PEM format: ${path} is not`);
  return text;
}

/** Five fields, separated by colons, in which a backslash escapes the next character. */
const PASSFILE_LINE = new RegExp(`^${Array(5).fill('((?:\\\\.|[^:\\\\])*)').join(':')}`);

/**
 * Looks up the password in libpq's format (PostgreSQL's documentation, section 32.16): the first line that matches
 * `host:port:database:user:password` counts, where `*` matches anything.
 */
function readPassfile(path: string, hosts: readonly Host[], database: string, user: string): string {
  const lines = readText('passfile', path)
    .split(/\r?\n/)
    .map((line) => (line.startsWith('#') ? [] : (PASSFILE_LINE.exec(line)?.slice(1) ?? [])));
  const unescaped = (field = '') => field.replaceAll(/\\(.)/g, '$1');
  const [password, ...others] = hosts.map(({ host, port }) => {
    const wanted = [host, String(port), database, user];
    const found = lines.find((fields) =>
      wanted.every((each, index) => fields[index] === '*' || unescaped(fields[index]) === each),
    );
    return found && unescaped(found[wanted.length]);
  });
  if (password === undefined || others.some((each) => each !== password)) {
    throw new Error(
      `must have a passfile with the same password for all hosts: ${path} has none for a host, or different ones`,
    );
  }
  return password;
}

function readText(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`must have a readable ${parameter}: ${messageOf(error)}`, { cause: error });
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`must be percent-encoded UTF-8: ${WRITTEN}`);
  }
}

export function serverOf({ hosts, database }: PostgresLocation): string {
  return `PostgreSQL at ${hosts.map(nameOfHost).join()}/${database}`;
}

export function nameOfHost({ host, port }: Host): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The command of PostgreSQL that backs up or restores the database. It asks for the password. */
export function dumpCommand({ url }: PostgresLocation, what: 'backup' | 'restore', file: string): string {
  return what === 'backup'
    ? `pg_dump --format=custom --file=${shellWord(file)} ${shellWord(url)}`
    : `pg_restore --clean --if-exists --single-transaction --dbname=${shellWord(url)} ${shellWord(file)}`;
}

/** The password as libpq's file of passwords has it, for each server and database: also for copies of this one. */
export function passfileLine({ user, password }: PostgresLocation): string {
  const field = (text: string) => text.replaceAll(/[:\\]/g, String.raw`\$&`);
  return `*:*:*:${field(user)}:${field(password)}\n`;
}

/** The URL, with this file in place of a password. */
export function withPassfile({ url }: PostgresLocation, path: string): string {
  const [before = '', query = ''] = url.split('?');
  const others = query.split('&').filter((each) => each !== '' && !each.startsWith('passfile='));
  return `${before}?${[...others, `passfile=${encodeURIComponent(path).replaceAll('%2F', '/')}`].join('&')}`;
}
