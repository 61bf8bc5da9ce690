import express, { type ErrorRequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import { AUTHORIZATION, type NewItem, PORT, projectStore } from './peer.ts';

/** Express and express-openapi-validator, used as the validator's README shows, on this project's store. */
const store = await projectStore();
const app = express();
app.use(express.json());
app.use(
  middleware({
    apiSpec: './packages/trellis/lab/bench/service/openapi.yaml',
    validateRequests: true,
    validateResponses: true,
    validateSecurity: { handlers: { bearerAuth: (request) => request.headers.authorization === AUTHORIZATION } },
  }),
);
app.post('/items', async (request, response) => {
  const { id, ...item } = request.body as NewItem;
  if ((await store.create('items', { id: BigInt(id), ...item })) === 'conflict') {
    response.status(400).json({ error: 40011, message: 'the id exists' });
    return;
  }
  response.json(item);
});
const answerFailure: ErrorRequestHandler = (error: { status?: number; message: string }, _request, response, _next) => {
  response.status(error.status ?? 500).json({ error: error.status ?? 500, message: error.message });
};
app.use(answerFailure);
app.listen(PORT, '127.0.0.1');
