import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import type { Authenticator } from '../auth/authenticator.ts';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import type { RequestLog, RequestObserver } from '../observability/log.ts';
import { clientAddress, type Proxies } from './client-address.ts';
import { Context } from './context.ts';
import { createCors } from './cors.ts';
import { answerFailure } from './errors.ts';
import { classesOf } from './incoming.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';
import { RequestRecorder } from './recorder.ts';
import { send } from './reply.ts';
import type { Application } from './server.ts';
import { requireHttp, sentPath, takeOriginForm } from './request-target.ts';
import { type RouterOptions, routeOperations } from './router.ts';

export interface AppOptions extends Omit<RouterOptions, 'authenticate' | 'count'> {
  readonly authenticator: Authenticator;
  readonly log: RequestLog;
  readonly observer?: RequestObserver | undefined;
  /** What browsers see beside the operations. */
  readonly pages: readonly Router[];
  /** undefined: there is none. */
  readonly rateLimit: RateLimit | undefined;
  /** The origins whose pages may call the service; undefined: none. */
  readonly corsOrigins: readonly string[] | undefined;
  /** The proxies whose word on where a request comes from is believed; undefined: there are none. */
  readonly proxies: Proxies | undefined;
}

/** The service: `handle` takes each request first, and hands it to an Express application that has the routes. */
export function createApp(options: AppOptions): Application<Context> {
  const { authenticator, log, observer, proxies, rateLimit, corsOrigins } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.set('trust proxy', proxies ?? false);
  // The contract says how a query is read.
  app.disable('query parser');
  routeOperations(app, {
    ...options,
    authenticate: (authorization) => authenticator.authenticate(authorization),
    count: rateLimit && createRateLimit(rateLimit),
  });
  for (const page of options.pages) app.use(page);
  app.use(unknownPath);
  app.use(failed);

  const markForOrigins = corsOrigins && createCors(corsOrigins, options.contract);
  const recorder = new RequestRecorder(log, observer);
  const dispatch = (context: Context): void => {
    try {
      const isPreflight = markForOrigins?.(context);
      requireHttp(context.request);
      if (isPreflight === true) send(context, 204, {});
      else app(context.request, context.response);
    } catch (error) {
      answerFailure(error, context);
    }
  };
  return {
    // Before Express, each layer of which costs as much as all of this.
    handle(context) {
      const { request, response, body } = context;
      response.context = context;
      request.incoming = body;
      takeOriginForm(request);
      if (proxies !== undefined) context.setClient(clientAddress(request) ?? context.client);
      recorder.begin();
      context.onEnd = () => {
        body?.abort();
        context.endSignal();
        recorder.end(context);
      };
      // A client that does not wait for its replies must not hold up others, whose requests Node has read as well.
      if (context.pipelined)
        context.ledger.later(() => {
          if (!request.socket.destroyed) dispatch(context);
        });
      else dispatch(context);
    },
    Exchange: Context,
    classes: classesOf(app),
  };
}

const unknownPath: RequestHandler = (request) => {
  throw new Refusal(ErrorNumber.pathUnknown, `the path ${sentPath(request)} does not exist`);
};

// Express knows by the number of parameters that this one takes errors.
const failed: ErrorRequestHandler = (error, _request, { context }, _next) => {
  answerFailure(error, context);
};
