/**
 * What is run on a contract while it is developed. Each function loads the packages that it needs when it is called.
 *
 * @module
 */
import type { AdoptOptions, AdoptRun } from './adopt/adopt.ts';
import type { Printed } from './contract.ts';

export type { AdoptOptions } from './adopt/adopt.ts';

/** Makes a contract of a document that was written elsewhere: edits, and decisions of the author. */
export async function adopt(file: string, options?: AdoptOptions, folder?: string): Promise<AdoptRun> {
  return await (await import('./adopt/adopt.ts')).adopt(file, options, folder);
}

/** Checks the contract of a service's folder, and writes its types. @param check writes nothing, and compares */
export async function generate(folder: string, check?: boolean): Promise<void> {
  await (await import('./generate.ts')).generate(folder, check);
}

/** Compares a contract with its newest release, or releases it. @param root the folder of the service */
export async function contract(command: 'check' | 'release', root: URL): Promise<Printed> {
  return await (await import('./contract.ts')).contract(command, root);
}
