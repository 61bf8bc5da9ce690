import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quoted } from '../../packages/trellis/test/support/service.ts';
import { temporaryFolder } from '../../packages/contract/test/support/temporary.ts';

const PROGRAMS = ['pg_dump', 'pg_restore', 'pg_basebackup', 'psql', 'createdb', 'dropdb'];

/** Notes the arguments of the programs of PostgreSQL in this folder, which all users of a machine can see. */
export function noteArguments(bin: string): { readonly path: string; readonly noted: () => string } {
  const folder = temporaryFolder();
  const notes = join(folder, 'notes');
  writeFileSync(notes, '', { mode: 0o666 });
  // The user of a test's server writes to it too.
  chmodSync(folder, 0o755);
  chmodSync(notes, 0o666);
  for (const program of PROGRAMS.filter((each) => existsSync(join(bin, each)))) {
    const script = `#!/bin/sh\necho "${program} $*" >>${quoted(notes)}\nexec ${quoted(join(bin, program))} "$@"\n`;
    writeFileSync(join(folder, program), script);
    chmodSync(join(folder, program), 0o755);
  }
  return { path: `${folder}:${bin}:${process.env['PATH'] ?? ''}`, noted: () => readFileSync(notes, 'utf8') };
}
