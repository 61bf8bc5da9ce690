import type { Request } from '../contract/types.ts';
import type { Item } from '../storage/store.ts';

/** The body of a create; also one record of an import or an export. */
export type NewItem = Request<'createPlant'>['body'];

/** A field of the contract that TABLES lacks does not compile. */
type Kept<Fields> = Item & Partial<Record<Exclude<keyof Fields, keyof Item>, 'not in TABLES'>>;

export function toItem(record: NewItem): Kept<NewItem> {
  return record;
}

/** The inverse of toItem, for an export. */
export function toRecord(item: Item): Readonly<Record<string, unknown>> {
  return item;
}
