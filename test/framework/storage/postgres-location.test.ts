import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../src/framework/config.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const folder = temporaryFolder();
const { cert } = makeCertificate('authority');
writeFileSync(join(folder, 'root.pem'), cert);
writeFileSync(join(folder, 'notes.txt'), 'water the plants');
const passfile = join(folder, 'passfile');
const LINES = [
  '# *:*:*:*:secret',
  'db:5432:plants',
  'db:5432:plants:somebody:secret',
  'db:6000:*:*:of the port',
  'd\\b:*:plants:plants:of the host',
  'one:*:*:*:a\\:b\\\\c',
  'two:*:*:*:a\\:b\\\\c:what is behind',
  'other:5432:plants:plants:',
];
writeFileSync(passfile, LINES.join('\n'));

const read = (url: string) => readConfig({ DATABASE_URL: url }).DATABASE_URL;
const PLAIN = {
  engine: 'postgres',
  url: expect.stringMatching(/^postgres:\/\/[^:]+@/),
  hosts: [{ host: 'db', port: 5432 }],
  user: 'plants',
  password: '',
  database: 'plants',
  tls: { mode: 'prefer' },
  applicationName: 'plant-store',
  connectTimeoutMs: 2000,
};

describe('readConfig, for a DATABASE_URL of PostgreSQL,', () => {
  test.each([
    ['postgres://plants@db/plants', {}],
    ['postgresql://plants@db/plants', {}],
    [
      'postgres://plants:p%40ss%3Aw%2Frd:x@db:6000/plants',
      { password: 'p@ss:w/rd:x', hosts: [{ host: 'db', port: 6000 }] },
    ],
    ['postgres://plants@[::1]:6000/plants', { hosts: [{ host: '::1', port: 6000 }] }],
    [
      'postgres://plants@one:1,two,[::2]:3/plants?target_session_attrs=read-write',
      {
        hosts: [
          { host: 'one', port: 1 },
          { host: 'two', port: 5432 },
          { host: '::2', port: 3 },
        ],
      },
    ],
    ['postgres://plants@/plants?host=/var/run/postgresql', { hosts: [{ host: '/var/run/postgresql', port: 5432 }] }],
    ['postgres://plants@%2Frun%2Fpg:6000/plants', { hosts: [{ host: '/run/pg', port: 6000 }] }],
    [
      'postgres://plants@db/plants?application_name=a%20b&connect_timeout=10',
      { applicationName: 'a b', connectTimeoutMs: 10_000 },
    ],
    ['postgres://plants@db/plants?sslmode=disable', { tls: { mode: 'disable' } }],
    [
      `postgres://plants@db/plants?sslmode=verify-full&sslrootcert=${join(folder, 'root.pem')}`,
      { tls: { mode: 'verify-full', ca: cert } },
    ],
    [
      `postgres://plants@db/plants?sslmode=require&sslrootcert=${join(folder, 'root.pem')}`,
      { tls: { mode: 'verify-ca', ca: cert } },
    ],
  ])('reads %s', (url, difference) => {
    expect(read(url)).toEqual({ ...PLAIN, ...difference });
  });

  test.each([
    ['db', 'of the host'],
    ['db:6000', 'of the port'],
    ['other', ''],
    ['one,two', 'a:b\\c'],
  ])('takes the password for %s from the passfile', (hosts, password) => {
    expect(read(`postgres://plants@${hosts}/plants?passfile=${passfile}`)).toMatchObject({ password });
  });

  test('prefers the password in the URL to the passfile', () => {
    expect(read(`postgres://plants:own@db/plants?passfile=${passfile}`)).toMatchObject({ password: 'own' });
  });

  test.each([
    ['postgres:plants', 'must be postgres://user:password@host:port/database'],
    ['postgres://db/plants', 'must name a user and a database: postgres://user@host/database'],
    ['postgres://plants:secret@db', 'must name a user and a database: postgres://user@host/database'],
    ['postgres://plants:secret@db:99999/plants', 'must name hosts as host:port, separated by commas'],
    ['postgres://plants:secret@one,,two/plants', 'must name hosts as host:port, separated by commas'],
    ['postgres://plants:p@secret@db/plants', 'must name hosts as host:port, separated by commas'],
    ['postgres://plants:pa?secret@db/plants', 'must have no parameters but'],
    ['postgres://plants:secret@/plants', 'must name hosts as host:port, separated by commas'],
    ['postgres://plants:secret%ff@db/plants', 'must be percent-encoded UTF-8'],
    [
      'postgres://plants:secret@db/plants?synchronous_commit=off',
      'must have no parameters but application_name, connect_timeout, host,',
    ],
    [
      'postgres://plants:secret@db/plants?target_session_attrs=any',
      'must have target_session_attrs=read-write or no target_session_attrs: the service must write',
    ],
    [
      'postgres://plants:secret@db/plants?sslmode=allow',
      'must have an sslmode of disable, prefer, require, verify-ca, verify-full',
    ],
    ['postgres://plants:secret@db/plants?sslcert=x.pem', 'must have sslcert and sslkey, or neither'],
    ['postgres://plants:secret@db/plants?sslrootcert=/none.pem', 'must have a readable sslrootcert: ENOENT'],
    [
      `postgres://plants:secret@db/plants?sslrootcert=${join(folder, 'notes.txt')}`,
      'must have an sslrootcert in PEM format',
    ],
    ['postgres://plants@db/plants?passfile=/none', 'must have a readable passfile: ENOENT'],
    [`postgres://plants@elsewhere/plants?passfile=${passfile}`, 'must have a passfile with one password for all'],
    [`postgres://plants@db,one/plants?passfile=${passfile}`, 'must have a passfile with one password for all'],
    ['postgres://plants:secret@db/plants?connect_timeout=0', 'must have a connect_timeout in seconds, from 1 to 9999'],
  ])('refuses %s with an error that gives the cure and does not contain the password', (url, message) => {
    const attempt = () => read(url);
    expect(attempt).toThrow(expect.objectContaining({ name: 'WrongSettings' }));
    expect(attempt).toThrow(`DATABASE_URL ${message}`);
    expect(attempt).not.toThrow('secret');
  });
});
