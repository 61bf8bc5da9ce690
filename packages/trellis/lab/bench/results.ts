import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { binary } from '../../test/support/postgres-binaries.ts';
import { type Environment, ROOT } from '../../test/support/service.ts';
import { commitHere } from '../../test/support/commit.ts';
import { fsyncTime } from './disk.ts';
import { PEERS } from './installed-peers.ts';
import { canPin, Scratch } from './servers.ts';

const FILE = join(import.meta.dirname, 'RESULTS.md');
const PACKAGES = ['express', 'express-openapi-validator'];

export interface Circumstances {
  /** More environment variables of the servers, such as LD_PRELOAD. */
  readonly environment?: Environment;
  readonly postgres?: boolean;
}

/** Replaces the section of RESULTS.md under this heading, or adds one. */
export function record(heading: string, command: string, body: string, known: Circumstances): void {
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '# Results\n';
  const parts = text.split(/^(?=## )/m);
  const part = `## ${heading}\n\n\`${command}\`\n\n${circumstances(known)}\n\n${body}\n`;
  const place = parts.findIndex((each) => each.startsWith(`## ${heading}\n`));
  const others = place < 0 ? [...parts, part] : parts.with(place, part);
  writeFileSync(FILE, `${others.map((each) => each.trim()).join('\n\n')}\n`);
}

/** Tells when, on which machine and with which versions the bench ran. */
function circumstances({ environment = {}, postgres = false }: Circumstances): string {
  using scratch = new Scratch();
  const [processor] = cpus();
  return [
    new Date().toISOString().slice(0, 10),
    commitHere(),
    `${processor?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores`,
    `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    `${type()} ${release()}`,
    canPin
      ? 'the server on one core, the load on another, unless the title says otherwise'
      : 'server and load on any core',
    `an fsync of 4 KiB in ${fsyncTime(scratch, environment).toFixed(2)} ms`,
    `Node ${process.versions.node}`,
    ...PACKAGES.map((name) => `${name} ${version(name)}`),
    ...PEERS.map((each) => each.join(' ')),
    ...(postgres ? [postgresVersion(), `its client pg ${version('pg')}`] : []),
  ].join(' · ');
}

function version(name: string): string {
  const manifest = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

function postgresVersion(): string {
  const [version = 'unknown'] =
    /[\d.]+/.exec(execFileSync(binary('postgres'), ['--version'], { encoding: 'utf8' })) ?? [];
  return `PostgreSQL ${version} on any core, with its default settings`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const low = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  const high = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  return (low + high) / 2;
}

/** Makes a Markdown table, with the first column aligned to the left and the numbers to the right. */
export function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) => Math.max(3, cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |\n`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return `**${title}**\n\n${line(head)}${line(rule)}${rows.map(line).join('')}`;
}
