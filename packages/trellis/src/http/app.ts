import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import { ErrorNumber, Refusal } from 'trellis-contract/ground';
import type { TellFailure } from 'trellis-contract';
import { clientAddress, type Proxies } from './client-address.ts';
import type { Context } from './context.ts';
import { createCors } from './cors.ts';
import { answerFailure } from './errors.ts';
import { announcesBody, IncomingBody } from './incoming.ts';
import { classesOf } from './node-http.ts';
import { createRecorder, type RequestLog, type RequestObserver } from './recorder.ts';
import { send } from './reply.ts';
import type { Application } from './server.ts';
import { requireHttp, sentPath, takeOriginForm } from './request-target.ts';
import { type RouterOptions, routeOperations } from './router.ts';

interface AppOptions extends RouterOptions {
  readonly log: RequestLog;
  readonly observer?: RequestObserver | undefined;
  readonly pages: Router;
  readonly corsOrigins: readonly string[] | undefined;
  readonly corsHeaders?: readonly string[] | undefined;
  /** The proxies whose header X-Forwarded-For is believed. */
  readonly proxies: Proxies | undefined;
}

export function createApp(options: AppOptions): Application {
  const { contract, log, observer, proxies, corsOrigins, corsHeaders } = options;
  const { tell } = contract;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.set('trust proxy', proxies ?? false);
  // parameters.ts reads the query, as the contract declares it.
  app.disable('query parser');
  routeOperations(app, options);
  app.use(options.pages);
  app.use(unknownPath(options.basePath + contract.basePath));
  app.use(failedWith(tell));

  const markForOrigins = corsOrigins && createCors(corsOrigins, contract, corsHeaders);
  const record = createRecorder(log, observer);
  const dispatch = (context: Context): void => {
    try {
      const isPreflight = markForOrigins?.(context);
      requireHttp(context.request);
      if (isPreflight === true) send(context, 204, {});
      else app(context.request, context.response);
    } catch (error) {
      answerFailure(error, context, tell);
    }
  };
  return {
    // All this runs before Express: one more layer of Express would take as long as all of it.
    handle(context) {
      const { request, response } = context;
      response.context = context;
      context.body = announcesBody(request) ? new IncomingBody(context, context.ledger) : undefined;
      request.incoming = context.body;
      takeOriginForm(request);
      if (proxies !== undefined) context.client = clientAddress(request) ?? context.client;
      observer?.begun();
      context.onEnd = () => {
        context.body?.abort();
        context.endSignal?.();
        record(context);
      };
      // A client that pipelines must not hold up the requests of other clients.
      if (context.pipelined)
        context.ledger.later(() => {
          if (!request.socket.destroyed) dispatch(context);
        });
      else dispatch(context);
    },
    classes: classesOf(app),
    tell,
  };
}

/** @param basePath of the operations: a client that omits it reads where they are */
function unknownPath(basePath: string): RequestHandler {
  return (request) => {
    const path = sentPath(request);
    const where = basePath === '' || path.startsWith(`${basePath}/`) ? '' : `: operations are below ${basePath}/`;
    throw new Refusal(ErrorNumber.pathUnknown, `the path ${path} does not exist${where}`);
  };
}

function failedWith(tell: TellFailure): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error, _request, { context }, _next) => answerFailure(error, context, tell);
}
