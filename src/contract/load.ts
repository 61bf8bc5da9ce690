import { readFile } from 'node:fs/promises';
import { parseContract } from './contract.ts';
import { compileValidators } from './validator-eov.ts';

/** The contract of openapi.yaml, and what holds each of its operations to it. @throws ContractError */
export async function loadContract() {
  const contract = parseContract(await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
  return { contract, validators: await compileValidators(contract) };
}
