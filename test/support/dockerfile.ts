import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An instruction of a Dockerfile, with its flags taken off. */
export interface Instruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly rest: string;
}

/** What begins with a FROM. */
export interface Stage {
  readonly name: string;
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** Reads a Dockerfile, as far as the one of the project goes. */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = '', flags = '', rest = ''] = /^([A-Z]+)\s+((?:--\S+\s+)*)(.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [base = '', , as = ''] = rest.split(/\s+/);
      stages.push({ name: as, base, instructions: [] });
    } else {
      const named = [...flags.matchAll(/--([\w-]+)=(\S+)/g)].map(([, flag, value]) => [flag, value]);
      stages.at(-1)?.instructions.push({ name, flags: Object.fromEntries(named) as Instruction['flags'], rest });
    }
  }
  return stages;
}

/** `NAME=value` pairs, of which a value may be in quotes. */
export function pairs(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S+))/g)].map(([, name, quoted, plain]) => [name, quoted ?? plain]),
  ) as Record<string, string>;
}

/** The exec form, which is JSON: no shell comes between. @throws SyntaxError for the shell form */
export function words(text: string): string[] {
  return JSON.parse(text) as string[];
}

/** Which files of a folder a build may copy: those that `.dockerignore` takes back from its `*`. */
export function contextOf(folder: string): (path: string) => boolean {
  const [all, ...taken] = readFileSync(join(folder, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (all !== '*' || !taken.every((line) => line.startsWith('!'))) {
    throw new Error('.dockerignore must leave everything out, and take single names back');
  }
  const names = taken.map((line) => line.slice(1));
  return (path) => names.some((name) => path === name || path.startsWith(`${name}/`));
}
