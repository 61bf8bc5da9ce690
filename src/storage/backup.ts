import type { StoreLocation } from './open.ts';
import { StoreUnusable } from './store.ts';
import { dumpCommand } from './postgres/dump.ts';
import { backUp, restore } from './sqlite/backup.ts';

/**
 * Copies a store into a file, as it is at one moment, and checks the copy.
 *
 * @param asNew makes the file: what it calls back gets the name of an empty one that is put in its place when it is whole
 * @returns how many plants it has
 * @throws StoreUnusable, also where the database has a command of its own for it; StoreUnavailable
 */
export async function backUpStore(
  location: StoreLocation,
  file: string,
  asNew: (write: (copy: string) => Promise<number>) => Promise<number>,
): Promise<number> {
  if (location.engine === 'postgres') throw useCommand(dumpCommand(location, 'backup', file));
  return await asNew((copy) => backUp(location.path, copy));
}

/**
 * Makes a store what a copy of `backUpStore` has, all or nothing, and checks it: it is durable then.
 *
 * @param allowed is told how many plants there are, and throws if they are not to be lost
 * @returns how many plants it has
 * @throws as backUpStore does
 */
export async function restoreStore(
  location: StoreLocation,
  file: string,
  allowed: (plants: number) => void,
): Promise<number> {
  if (location.engine === 'postgres') throw useCommand(dumpCommand(location, 'restore', file));
  return await restore(location.path, file, allowed);
}

function useCommand(command: string): StoreUnusable {
  return new StoreUnusable(`PostgreSQL does this itself: ${command}`);
}
