import { randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance } from 'fastify';
import { destination } from 'pino';
import { AUTHORIZATION, ERROR, FASTIFY_SCHEMA, type NewItem, PORT } from './peer.ts';

export interface Note extends NewItem {
  readonly version: number;
}
export interface Transfer {
  readonly id: number;
  readonly from_account: number;
  readonly to_account: number;
  readonly amount: number;
}
type Answer<T> = T | Promise<T>;

/** What a peer does with its database. */
export interface Queries {
  /** Returns false if the id exists. */
  readonly create: (item: NewItem) => Answer<boolean>;
  readonly lookUp: (id: number) => Answer<Note | undefined>;
  readonly list: (after: number) => Answer<Note[]>;
  readonly insert: (note: NewItem) => Answer<unknown>;
  readonly patch: (id: number, tag: string) => Answer<Note | undefined>;
  readonly transfer: (transfer: Transfer) => Answer<unknown>;
  readonly count: () => Answer<{ count: number }>;
}

const id = { type: 'integer' } as const;
const { name, tag } = FASTIFY_SCHEMA.body.properties;
const closed = { type: 'object', additionalProperties: false } as const;
const params = { type: 'object', required: ['id'], properties: { id } } as const;
const querystring = { ...closed, required: ['after'], properties: { after: id } } as const;
const note = {
  type: 'object',
  required: ['id', 'name', 'version'],
  properties: { id, name, tag: { ...tag, nullable: true }, version: id },
} as const;
const change = { ...closed, required: ['tag'], properties: { tag } } as const;
const transfer = {
  ...closed,
  required: ['id', 'from_account', 'to_account', 'amount'],
  properties: { id, from_account: id, to_account: id, amount: { type: 'integer', minimum: 1, maximum: 1_000_000 } },
} as const;
const NO_NOTE = { error: 40411, message: 'nothing has this id' };

/** The names of callers, by the header field Authorization of their requests. */
const callers = new Map([[AUTHORIZATION, 'bench']]);

/**
 * Fastify with its own validation, which creates items. Like the service, it looks up the token of each request in memory,
 * sends its id, and writes a line for it to the log, with many lines in one write.
 */
export function itemApp(create: Queries['create']): FastifyInstance {
  const stream = destination({ sync: false, minLength: 4096 });
  const app = fastify({ logger: { stream }, disableRequestLogging: true, genReqId: () => randomUUID() });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff');
    if (callers.has(request.headers.authorization ?? '')) done();
    else reply.code(401).send({ error: 40100, message: 'no token' });
  });
  app.addHook('onResponse', ({ log, method, url, ip, headers, routeOptions }, { statusCode, elapsedTime }, done) => {
    const [path] = url.split('?', 1);
    const caller = callers.get(headers.authorization ?? '');
    log.info(
      { method, path, client: ip, operation: routeOptions.url, caller, status: statusCode, ms: elapsedTime },
      'request',
    );
    done();
  });
  app.post<{ Body: NewItem }>('/items', { schema: FASTIFY_SCHEMA }, async ({ body }, reply) => {
    if (!(await create(body))) return reply.code(400).send({ error: 40011, message: 'the id exists' });
    return { name: body.name, tag: body.tag };
  });
  return app;
}

/** Serves each operation of the bench in the same way as `itemApp`. */
export async function serve({ create, lookUp, list, insert, patch, transfer: move, count }: Queries): Promise<void> {
  const app = itemApp(create);
  const one = { 200: note, 404: ERROR };
  app.get<{ Params: { id: number } }>(
    '/notes/:id',
    { schema: { params, response: one } },
    async (request, reply) => (await lookUp(request.params.id)) ?? reply.code(404).send(NO_NOTE),
  );
  app.get<{ Params: { id: number } }>('/constants/:id', { schema: { params, response: one } }, async (request) =>
    Promise.resolve({ id: request.params.id, name: 'Monstera deliciosa', tag: 'tropical', version: 0 }),
  );
  app.get<{ Querystring: { after: number } }>(
    '/notes',
    { schema: { querystring, response: { 200: { type: 'array', items: note } } } },
    async (request) => await list(request.query.after),
  );
  app.post<{ Body: NewItem }>(
    '/notes',
    { schema: { body: FASTIFY_SCHEMA.body, response: { 201: note } } },
    async ({ body }, reply) => {
      await insert(body);
      return reply.code(201).send({ ...body, version: 0 });
    },
  );
  app.patch<{ Params: { id: number }; Body: { tag: string } }>(
    '/notes/:id',
    { schema: { params, body: change, response: one } },
    async (request, reply) => (await patch(request.params.id, request.body.tag)) ?? reply.code(404).send(NO_NOTE),
  );
  app.post<{ Body: Transfer }>(
    '/transfers',
    { schema: { body: transfer, response: { 201: transfer } } },
    async ({ body }, reply) => {
      await move(body);
      return reply.code(201).send(body);
    },
  );
  const counted = { type: 'object', required: ['count'], properties: { count: id } } as const;
  app.get('/items/count', { schema: { response: { 200: counted } } }, async () => await count());
  await app.listen({ port: PORT, host: '127.0.0.1' });
}
