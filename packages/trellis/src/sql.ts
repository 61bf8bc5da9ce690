/**
 * Kysely's `sql`, for expressions in queries: from here, so that a service does not install a second Kysely.
 *
 * @module
 */
export { sql } from 'kysely';
