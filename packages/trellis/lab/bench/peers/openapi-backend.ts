import express from 'express';
import { type Context, OpenAPIBackend, type Request } from 'openapi-backend';
import { AUTHORIZATION, type NewItem, PORT, projectStore } from './peer.ts';

/** Express and openapi-backend, which validates requests and replies as its README shows, on this project's store. */
const store = await projectStore();
const api = new OpenAPIBackend({
  definition: './packages/trellis/lab/bench/service/openapi.yaml',
  quick: true,
  handlers: {
    createItem: async (context: Context, _request: express.Request, response: express.Response) => {
      const { id, ...item } = context.request.requestBody as NewItem;
      const creation = await store.create('items', { id: BigInt(id), ...item });
      if (creation !== 'conflict') return item;
      response.status(400);
      return { error: 40011, message: 'the id exists' };
    },
    validationFail: (context: Context, _request: express.Request, response: express.Response) => {
      response.status(400).json({ error: 40010, message: JSON.stringify(context.validation.errors) });
    },
    unauthorizedHandler: (_context: Context, _request: express.Request, response: express.Response) => {
      response.status(401).json({ error: 40100, message: 'no token' });
    },
    postResponseHandler: (context: Context, _request: express.Request, response: express.Response) => {
      if (response.headersSent) return undefined;
      const valid = context.api.validateResponse(context.response, context.operation, response.statusCode);
      if (valid.errors) return response.status(500).json({ error: 50000, message: 'the reply breaks the contract' });
      return response.json(context.response);
    },
  },
  securityHandlers: {
    bearerAuth: ({ request }: Context) => (request as Request).headers['authorization'] === AUTHORIZATION,
  },
});
await api.init();

const app = express();
app.use(express.json());
app.use((request, response) => api.handleRequest(request as Request, request, response));
app.listen(PORT, '127.0.0.1');
