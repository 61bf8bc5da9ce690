/**
 * Kysely's `sql`, for expressions in queries. From here, so that a service has the Kysely of the framework and no second one.
 *
 * @module
 */
export { sql } from 'kysely';
