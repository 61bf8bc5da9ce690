import type { Config } from '../config.ts';
import { requireForeignTo } from '../storage/sqlite/backup.ts';

/** @throws StoreUnusable if the file belongs to a store in SQLite, or has the name that one of its files will have */
export function requireForeign({ DATABASE_URL: store }: Pick<Config, 'DATABASE_URL'>, file: string): void {
  if (store.engine === 'sqlite') requireForeignTo(store.path, file);
}
