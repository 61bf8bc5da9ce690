import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fsyncTime } from './disk.ts';
import type { Environment } from './processes.ts';
import { pinned, ROOT, Scratch } from './processes.ts';

const FILE = join(import.meta.dirname, 'RESULTS.md');
const PACKAGES = ['express', 'express-openapi-validator', 'openapi-backend', 'fastify'];

/** Puts what was measured in its place in RESULTS.md: the part under the heading, up to the next one. */
export function record(heading: string, command: string, body: string, environment: Environment): void {
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '# Results\n';
  const parts = text.split(/^(?=## )/m);
  const part = `## ${heading}\n\n\`${command}\`\n\n${circumstances(environment)}\n\n${body}\n`;
  const place = parts.findIndex((each) => each.startsWith(`## ${heading}\n`));
  const others = place < 0 ? [...parts, part] : parts.with(place, part);
  writeFileSync(FILE, `${others.map((each) => each.trim()).join('\n\n')}\n`);
}

/** When and on what it was measured. */
function circumstances(environment: Environment): string {
  using scratch = new Scratch();
  const [processor] = cpus();
  return [
    new Date().toISOString().slice(0, 10),
    `${processor?.model.trim() ?? 'unknown processor'}, ${String(cpus().length)} cores`,
    `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    `${type()} ${release()}`,
    pinned ? 'the server on one core, the load on another' : 'server and load on any core',
    `an fsync of 4 KiB in ${fsyncTime(scratch, environment).toFixed(2)} ms`,
    `Node ${process.versions.node}`,
    ...PACKAGES.map((name) => `${name} ${version(name)}`),
  ].join(' · ');
}

function version(name: string): string {
  const manifest = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
