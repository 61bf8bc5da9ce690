import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../../src/config.ts';
import { makeCertificate } from '../../../support/certificate.ts';
import { temporaryFolder } from '../../../../../contract/test/support/temporary.ts';
import { items } from '../../../services/items/index.ts';

const folder = temporaryFolder();
const { cert } = makeCertificate('authority');
writeFileSync(join(folder, 'root.pem'), cert);
writeFileSync(join(folder, 'notes.txt'), 'water the items');
const passfile = join(folder, 'passfile');
const LINES = [
  '# *:*:*:*:secret',
  'db:5432:items',
  'db:5432:items:somebody:secret',
  'db:6000:*:*:of the port',
  'd\\b:*:items:items:of the host',
  'one:*:*:*:a\\:b\\\\c',
  'two:*:*:*:a\\:b\\\\c:what is behind',
  'other:5432:items:items:',
];
writeFileSync(passfile, LINES.join('\n'));

const read = (url: string) => readConfig(items, { DATABASE_URL: url }).DATABASE_URL;
const PLAIN = {
  engine: 'postgres',
  url: expect.stringMatching(/^postgres:\/\/[^:]+@/),
  hosts: [{ host: 'db', port: 5432 }],
  user: 'items',
  password: '',
  database: 'items',
  tls: { mode: 'prefer' },
  connectTimeoutMs: 2000,
};

describe('readConfig', () => {
  test.each([
    ['postgres://items@db/items', {}],
    ['postgresql://items@db/items', {}],
    [
      'postgres://items:p%40ss%3Aw%2Frd:x@db:6000/items',
      { password: 'p@ss:w/rd:x', hosts: [{ host: 'db', port: 6000 }] },
    ],
    ['postgres://items@[::1]:6000/items', { hosts: [{ host: '::1', port: 6000 }] }],
    [
      'postgres://items@one:1,two,[::2]:3/items?target_session_attrs=read-write',
      {
        hosts: [
          { host: 'one', port: 1 },
          { host: 'two', port: 5432 },
          { host: '::2', port: 3 },
        ],
      },
    ],
    ['postgres://items@/items?host=/var/run/postgresql', { hosts: [{ host: '/var/run/postgresql', port: 5432 }] }],
    ['postgres://items@%2Frun%2Fpg:6000/items', { hosts: [{ host: '/run/pg', port: 6000 }] }],
    [
      'postgres://items@db/items?application_name=a%20b&connect_timeout=10',
      { applicationName: 'a b', connectTimeoutMs: 10_000 },
    ],
    ['postgres://items@db/items?sslmode=disable', { tls: { mode: 'disable' } }],
    [
      `postgres://items@db/items?sslmode=verify-full&sslrootcert=${join(folder, 'root.pem')}`,
      { tls: { mode: 'verify-full', ca: cert } },
    ],
    [
      `postgres://items@db/items?sslmode=require&sslrootcert=${join(folder, 'root.pem')}`,
      { tls: { mode: 'verify-ca', ca: cert } },
    ],
  ])('readConfig, for a DATABASE_URL of PostgreSQL, reads %s', (url, difference) => {
    expect(read(url)).toEqual({ ...PLAIN, ...difference });
  });

  test.each([
    ['db', 'of the host'],
    ['db:6000', 'of the port'],
    ['other', ''],
    ['one,two', 'a:b\\c'],
  ])('readConfig, for a DATABASE_URL of PostgreSQL, takes the password for %s from the passfile', (hosts, password) => {
    expect(read(`postgres://items@${hosts}/items?passfile=${passfile}`)).toMatchObject({ password });
  });

  test('readConfig, for a DATABASE_URL of PostgreSQL, prefers the password in the URL to the passfile', () => {
    expect(read(`postgres://items:own@db/items?passfile=${passfile}`)).toMatchObject({ password: 'own' });
  });

  test.each([
    'postgres://items:p#secret@db/items',
    'postgres://items:p/secret@db/items',
    'postgres://items:p?secret@db/items',
    'postgres://items:p?secret=x@db/items',
    'postgres://items:p@secret@db/items',
    'postgres://items:p@x/secret@db/items',
    'postgres://items:p@x?secret@db/items',
    'postgres://items:p@x?secret=1@db/items',
    'postgres://items:p%secret@db/items',
    // Node has read this from a line of .env without quotes, and so has cut it off at #.
    'postgres://items:secret',
  ])(
    'readConfig, for a DATABASE_URL of PostgreSQL, says to percent-encode the password of %s, and quotes no part of it',
    (url) => {
      const attempt = () => read(url);
      expect(attempt).toThrow('percent-encoded: %23 for #, %2F for /, %3F for ?, %40 for @');
      expect(attempt).not.toThrow('secret');
      for (const [character, code] of Object.entries({ '#': '%23', '/': '%2F', '?': '%3F', '@': '%40' }))
        expect(read(`postgres://items:p${code}ss@db/items`)).toMatchObject({ password: `p${character}ss` });
    },
  );

  test.each([
    ['channel_binding=require', 'sslmode=verify-full and sslrootcert=system'],
    ['pgbouncer=true', 'a pooler in session mode'],
    ['sslmode=require&schema=x', 'the service knows application_name, connect_timeout,'],
  ])(
    'readConfig, for a DATABASE_URL of PostgreSQL, names the unsupported parameter in %s, and the cure',
    (parameters, cure) => {
      const [name] = /\w+(?==[^=]*$)/.exec(parameters) ?? [];
      const sentence = `DATABASE_URL must not have the parameter ${String(name)}: remove it; `;
      expect(() => read(`postgres://items@db/items?${parameters}`)).toThrow(sentence);
      expect(() => read(`postgres://items@db/items?${parameters}`)).toThrow(cure);
    },
  );

  test('readConfig, for a DATABASE_URL of PostgreSQL, reads a parameter whose value has an @', () => {
    expect(read('postgres://items@db/items?application_name=a@b')).toMatchObject({ applicationName: 'a@b' });
  });

  test.each([
    ['postgres:items', 'must be postgres://user:password@host:port/database'],
    ['postgres://db/items', 'must name a user and a database: postgres://user:password@host:port/database'],
    ['postgres://items:secret@db', 'must name a user and a database: postgres://user:password@host:port/database'],
    ['postgres://items:secret@db:99999/items', 'must name hosts as host:port, separated by commas'],
    ['postgres://items:secret@one,,two/items', 'must name hosts as host:port, separated by commas'],
    ['postgres://items:secret@db:five/items', 'must name hosts as host:port, separated by commas'],
    ['postgres://items:secret@/items', 'must name hosts as host:port, separated by commas'],
    ['postgres://items:secret%ff@db/items', 'must be percent-encoded UTF-8'],
    [
      'postgres://items:secret@db/items?synchronous_commit=off',
      'must not have the parameter synchronous_commit: remove it; the service knows application_name,',
    ],
    [
      'postgres://items:secret@db/items?target_session_attrs=any',
      'must have target_session_attrs=read-write or no target_session_attrs: the service must write',
    ],
    [
      'postgres://items:secret@db/items?sslmode=allow',
      'must have an sslmode of disable, prefer, require, verify-ca, verify-full',
    ],
    ['postgres://items:secret@db/items?sslcert=x.pem', 'must have sslcert and sslkey, or neither'],
    ['postgres://items:secret@db/items?sslrootcert=/none.pem', 'must have a readable sslrootcert: ENOENT'],
    [
      `postgres://items:secret@db/items?sslrootcert=${join(folder, 'notes.txt')}`,
      'must have an sslrootcert in PEM format',
    ],
    ['postgres://items@db/items?passfile=/none', 'must have a readable passfile: ENOENT'],
    [`postgres://items@elsewhere/items?passfile=${passfile}`, 'must have a passfile with the same password for all'],
    [`postgres://items@db,one/items?passfile=${passfile}`, 'must have a passfile with the same password for all'],
    ['postgres://items:secret@db/items?connect_timeout=0', 'must have a connect_timeout in seconds, from 1 to 9999'],
  ])(
    'readConfig, for a DATABASE_URL of PostgreSQL, refuses %s with an error that gives the cure and does not contain the password',
    (url, message) => {
      const attempt = () => read(url);
      expect(attempt).toThrow(expect.objectContaining({ name: 'WrongSettings' }));
      expect(attempt).toThrow(`DATABASE_URL ${message}`);
      expect(attempt).not.toThrow('secret');
    },
  );
});
