import { afterAll, beforeAll } from '@jest/globals';
import { openStore } from '../../src/storage/open.ts';
import { readPostgresLocation } from '../../src/storage/postgres/location.ts';
import { PostgresServer } from '../support/postgres.ts';
import { testEngine } from './conformance.ts';

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await PostgresServer.create();
  url = await server.createDatabase();
});
afterAll(() => server.remove());

const open = (at = url, create = true) => openStore(readPostgresLocation(at), { create });

testEngine('PostgreSQL', { open });
