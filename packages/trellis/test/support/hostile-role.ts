/** Settings of a PostgreSQL role that would change stored or read values, time limits, or messages. */
const HOSTILE_SETTINGS = {
  array_nulls: 'off',
  bytea_output: 'escape',
  client_encoding: 'LATIN1',
  client_min_messages: 'error',
  DateStyle: 'German',
  default_transaction_isolation: 'serializable',
  extra_float_digits: '-15',
  idle_in_transaction_session_timeout: '50ms',
  idle_session_timeout: '50ms',
  IntervalStyle: 'iso_8601',
  lock_timeout: '1ms',
  quote_all_identifiers: 'on',
  standard_conforming_strings: 'off',
  statement_timeout: '50ms',
  synchronous_commit: 'off',
  TimeZone: 'Asia/Kathmandu',
};

/** The statements that give a role these settings. */
export function hostile(role: string): string {
  const settings = Object.entries(HOSTILE_SETTINGS);
  return settings.map(([name, value]) => `alter role ${role} set ${name} = '${value}'`).join('; ');
}
