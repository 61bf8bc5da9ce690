import { boolean, bytes, int32, int64, json, number, optional, table, text, timestamp } from 'trellis';

/** A column of each kind. */
const EACH = {
  text: text(),
  int64: int64(),
  int32: int32(),
  number: number(),
  boolean: boolean(),
  timestamp: timestamp(),
  bytes: bytes(),
  json: json(),
};

export const KINDS = Object.keys(EACH) as readonly (keyof typeof EACH)[];

export const tables = {
  items: table({ id: int64(), name: text(), tag: optional(text()) }, 'id'),
  /** Each kind of column, required and optional. */
  kinds: table(
    {
      id: int64(),
      ...EACH,
      text_or_null: optional(text()),
      int64_or_null: optional(int64()),
      int32_or_null: optional(int32()),
      number_or_null: optional(number()),
      boolean_or_null: optional(boolean()),
      timestamp_or_null: optional(timestamp()),
      bytes_or_null: optional(bytes()),
      json_or_null: optional(json()),
    },
    'id',
  ),
  /** A key of two columns, a foreign key. */
  notes: table({ item: int64(), line: text(), body: text() }, 'item', 'line'),
  /** Columns that only the service knows, narrow types, and a second unique index. */
  members: table(
    {
      id: text(),
      email: text(),
      level: text<'guest' | 'regular'>(),
      tags: json<readonly string[]>(),
      joined_at: timestamp(),
      version: int64(),
      left_at: optional(timestamp()),
    },
    'id',
  ),
};
