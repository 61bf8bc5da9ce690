import { readFile } from 'node:fs/promises';
import { ContractError } from '../src/contract/errors.ts';

/** @throws ContractError that says what to do about it */
export async function readContract(file: string | URL): Promise<string> {
  return await readFile(file, 'utf8').catch((error: unknown) => {
    // Without the message of Node, which has the path once more.
    const code = Error.isError(error) && 'code' in error ? error.code : error;
    throw new ContractError(
      code === 'ENOENT'
        ? 'openapi.yaml does not exist: name the folder of a service, or begin one by `trellis init`'
        : `openapi.yaml cannot be read: ${String(code)}: let it be a file that you may read`,
    );
  });
}
