import { readContractFile } from '../src/load.ts';

/** @throws ContractError that says what to do about it */
export async function readContract(file: string | URL): Promise<string> {
  return await readContractFile(file, 'name the folder of a service, or begin one by `trellis init`');
}
