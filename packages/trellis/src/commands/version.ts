import { buildOf } from '../instance/build.ts';
import type { AnyService } from '../service.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';

/** Prints a line such as `1.1.0 (schema 2, commit 0b96f5b…)`. */
export async function printVersion(service: AnyService, io: Io): Promise<void> {
  const { version, schema, commit } = buildOf(service);
  await print(io, `${version} (schema ${schema}${commit && `, commit ${commit}`})\n`);
}
