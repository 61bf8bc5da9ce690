import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import express from 'express';
import type { Logger } from 'pino';
import type { Authenticator } from './auth/authenticator.ts';
import type { Contract } from './contract/contract.ts';
import { ErrorNumber, Refusal } from './contract/errors.ts';
import type { Handler } from './contract/router.ts';
import { createRouter } from './contract/router.ts';
import { sendRefusal } from './contract/send.ts';
import type { OperationValidator } from './contract/validator.ts';
import { createDocs } from './docs.ts';
import { logRequests } from './log.ts';
import type { Services } from './operations/services.ts';
import { StoreUnavailable } from './storage/plant-store.ts';

export interface AppOptions {
  readonly contract: Contract;
  readonly validators: ReadonlyMap<string, OperationValidator>;
  /** By operationId; `operations` of operations/index.ts. */
  readonly operations: Readonly<Record<string, Handler<Services>>>;
  readonly services: Services;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  /** The path of the service's public address: '' or such as `/api`. */
  readonly basePath: string;
  /** Whether the public address is https. */
  readonly https: boolean;
}

/** The service as an Express application: its middleware in the order in which a request meets it. */
export function createApp(options: AppOptions): Express {
  const { contract, validators, operations, services, authenticator, logger, basePath } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  app.use(logRequests(logger));
  app.use(requireHost);
  app.use(
    createRouter({
      contract,
      validators,
      operations,
      services,
      authenticate: (authorization) => authenticator.authenticate(authorization),
      basePath,
    }),
  );
  app.use(createDocs(options));
  app.use(unknownPath);
  app.use(answerFailure);
  return app;
}

/** RFC 9112, section 3.2. Node's own check is off, since what it answers has no body. */
const requireHost: RequestHandler = (request, _response, next) => {
  const { host } = request.headers;
  // Fields that repeat arrive joined by commas.
  if (request.httpVersion === '1.1' && (host === undefined || host.includes(','))) {
    throw new Refusal(ErrorNumber.malformedMessage, 'the header Host must be sent, and only once');
  }
  next();
};

const unknownPath: RequestHandler = (request) => {
  throw new Refusal(ErrorNumber.pathUnknown, `there is no ${request.path.slice(0, 200).toWellFormed()} here`);
};

/** The one place where a failure, of whatever origin, becomes what the client is told and what the log is told. */
const answerFailure: ErrorRequestHandler = (error: unknown, request, response, _next) => {
  const { locals } = response;
  const refusal = toRefusal(error, locals.requestId);
  locals.error = refusal.number;
  if (refusal.status >= 500) locals.failure = error;
  // A reply that has begun cannot be taken back, and one cannot be sent to a client that is gone.
  if (response.headersSent || !request.socket.writable) response.destroy();
  else sendRefusal(response, refusal);
};

function toRefusal(error: unknown, requestId: string): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreUnavailable) {
    return new Refusal(ErrorNumber.storeUnavailable, `the store is not available, try again; request id ${requestId}`, {
      'Retry-After': '1',
    });
  }
  // Express reports a path that cannot be decoded so.
  if (error instanceof URIError)
    return new Refusal(ErrorNumber.malformedMessage, 'the path is not percent-encoded UTF-8');
  return new Refusal(
    ErrorNumber.serviceFailed,
    `the service failed; its log has the cause under request id ${requestId}`,
  );
}
