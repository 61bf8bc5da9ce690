import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ExplainedError } from 'trellis-contract/ground';

/** The file with the sum of a backup. */
export const sumFileOf = (file: string): string => `${file}.sha256`;

export async function sumOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('hex');
}

/** As `sha256sum --check` reads it. */
export const sumLine = (sum: string, file: string): string => `${sum}  ${basename(file)}\n`;

/** Compares a backup with its sum. @returns whether there is one @throws ExplainedError if they differ */
export async function compareSum(file: string): Promise<boolean> {
  const sumFile = sumFileOf(file);
  let told: string;
  try {
    told = readFileSync(sumFile, 'utf8');
  } catch (error) {
    if (Error.isError(error) && 'code' in error && error.code === 'ENOENT') return false;
    throw new ExplainedError(`${sumFile} cannot be read: restore as its owner`, { cause: error });
  }
  if (told.split(' ', 1)[0] !== (await sumOf(file)))
    throw new ExplainedError(
      `the file ${file} has changed since it was made, as ${sumFile} shows: restore another backup; if there is none, delete ${sumFile}, and restore what is left`,
    );
  return true;
}
