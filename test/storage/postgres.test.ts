import { afterAll, beforeAll } from '@jest/globals';
import { openStore } from '../../src/storage/open.ts';
import { readPostgresLocation } from '../../src/storage/postgres/location.ts';
import { PostgresServer } from '../support/postgres.ts';
import { testEngine } from './conformance.ts';

let server: PostgresServer;
let database: string;
beforeAll(async () => {
  server = await PostgresServer.create();
  database = await server.createDatabase();
});
afterAll(() => server.remove());

const open = (name = database, create = true) => openStore(readPostgresLocation(server.url(name)), { create });

testEngine('PostgreSQL', { open: () => open() });
