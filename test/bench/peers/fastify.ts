import fastify from 'fastify';
import { AUTHORIZATION, FASTIFY_SCHEMA, type NewPlant, PORT, projectStore } from './peer.ts';

/** A server of Fastify, which validates requests itself, on this project's store. */
const plants = await projectStore();
const app = fastify();
app.post<{ Body: NewPlant }>('/plants', { schema: FASTIFY_SCHEMA }, async (request, reply) => {
  if (request.headers.authorization !== AUTHORIZATION)
    return reply.code(401).send({ error: 40100, message: 'no token' });
  const { id, ...plant } = request.body;
  if ((await plants.create({ id: BigInt(id), ...plant })) === 'conflict') {
    return reply.code(400).send({ error: 40011, message: 'the id exists' });
  }
  return plant;
});
await app.listen({ port: PORT, host: '127.0.0.1' });
