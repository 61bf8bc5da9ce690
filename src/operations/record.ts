import type { Request } from '../contract/types.ts';
import type { Item } from '../storage/store.ts';

/** What the contract calls for to create an item: the body of a request, a record of an import or export. */
export type NewItem = Request<'createPlant'>['body'];

/** All that the store has of a record: a field that the store does not have does not compile. */
type Kept<Fields> = Item & Partial<Record<Exclude<keyof Fields, keyof Item>, 'not in TABLES'>>;

/** A record as the store keeps it. */
export function toItem(record: NewItem): Kept<NewItem> {
  return record;
}

/** What the store keeps as the record by which it was created, for an export: an import reads it again. */
export function toRecord(item: Item): Readonly<Record<string, unknown>> {
  return item;
}
