export function encode(value: unknown): unknown {
  // pg would write local time, without the seconds that the offsets of time zones had before 1972.
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.map(encode) : value;
}
