import { int64, json, type Schema, table, text, timestamp } from 'trellis';
import type { components } from './generated/openapi.ts';

export const tables = {
  bookings: table({ id: text(), room: text(), cents: int64() }, 'id'),
  keys: table(
    {
      caller: text(),
      key: text(),
      operation: text(),
      request: json(),
      reply: json<Schema<components, 'Booking'>>(),
      at: timestamp(),
    },
    'caller',
    'key',
  ),
};
