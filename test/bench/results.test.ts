import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/service.ts';

test('README has the figures that were measured', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const results = readFileSync(join(ROOT, 'test/bench/RESULTS.md'), 'utf8');
  /** The ratios of a server, the last two columns of its row. */
  const ratios = (heading: string, connections: number, server: string) => {
    const part = results.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
    const table = part.split(/^(?=\*\*)/m).find((each) => each.startsWith(`**${connections} `)) ?? '';
    return new RegExp(`^\\| ${server} .*?([\\d.]+ × \\| +[\\d.]+ ×) \\|$`, 'm').exec(table)?.[1]?.replace(/ +/g, ' ');
  };
  const speed = readme.split(/^## /m).find((each) => each.startsWith('Speed\n')) ?? '';
  const rows = [...speed.matchAll(/([\d.]+ × \| +[\d.]+ ×) \|$/gm)].map(([, each]) => each?.replace(/ +/g, ' '));
  expect(rows).toEqual([
    ratios('The service and its peers', 64, 'bare'),
    ratios('The service and its peers', 64, 'fastify-commit'),
    ratios('A slow disk', 256, 'fastify-commit'),
    ratios('The service and its peers', 64, 'openapi-backend'),
    ratios('The service and its peers', 64, 'express-openapi-validator'),
  ]);
  expect(rows).not.toContain(undefined);
  const onPostgres = ['service', 'fastify-postgres'].map((server) => ratios('PostgreSQL', 64, server)?.split(' |')[0]);
  expect(speed.replaceAll('\n', ' ')).toContain(
    `does ${onPostgres[0] ?? ''} what it does on SQLite at 64 connections, and ${onPostgres[1] ?? ''} what Fastify does`,
  );
});
