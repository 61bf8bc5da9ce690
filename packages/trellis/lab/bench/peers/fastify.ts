import { itemApp } from './fastify-app.ts';
import { PORT, projectStore } from './peer.ts';

/** A server of Fastify, which validates requests itself, on this project's store. */
const store = await projectStore();
const app = itemApp(
  async ({ id, ...item }) => (await store.create('items', { id: BigInt(id), ...item })) !== 'conflict',
);
await app.listen({ port: PORT, host: '127.0.0.1' });
