import { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express';
import type { Authenticator } from '../auth/authenticator.ts';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import type { RequestLog, RequestObserver } from '../observability/log.ts';
import type { IncomingBody } from './body.ts';
import { clientAddress, type Proxies } from './client-address.ts';
import { Context, RequestRecorder } from './context.ts';
import { createCors } from './cors.ts';
import { answerFailure } from './errors.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';
import { send } from './reply.ts';
import type { Service } from './server.ts';
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

/** The service as an Express application: what a request meets, in this order. */
export function createApp(options: AppOptions): Service<Context> {
  const { contract, authenticator, log, observer, proxies, rateLimit, corsOrigins } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  // All parameters: by default those beyond the 1,000th are dropped, and would not be refused.
  app.set('query parser', (query: string) => parse(query, '&', '=', { maxKeys: 0 }));
  routeOperations(app, {
    ...options,
    authenticate: (authorization) => authenticator.authenticate(authorization),
    count: rateLimit && createRateLimit(rateLimit),
  });
  for (const page of options.pages) app.use(page);
  app.use(unknownPath);
  app.use(failed);
  app.set('trust proxy', proxies ?? false);
  const markForOrigins = corsOrigins && createCors(corsOrigins, contract);
  const recorder = new RequestRecorder(log, observer);
  const serve = (context: Context): void => {
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
    // What every request needs is done before Express, each of whose layers costs as much as all of it.
    handle(context) {
      const { request, response } = context;
      response.context = context;
      request.incoming = context.body;
      takeOriginForm(request);
      if (proxies !== undefined) context.setClient(clientAddress(request) ?? context.client);
      recorder.begin(context);
      // A client that does not wait for its replies must not hold up others, whose requests Node has read as well.
      if (context.pipelined)
        context.ledger.later(() => {
          if (!request.socket.destroyed) serve(context);
        });
      else serve(context);
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

/**
 * What a server should construct requests and replies of. They have the prototypes of the Express application, which
 * gives them to each anew otherwise: V8 has what it knows of an object to forget then.
 */
function classesOf(app: Express): Required<Service<Context>>['classes'] {
  class AppRequest extends IncomingMessage {
    incoming: IncomingBody | undefined;

    override push(part: Buffer | null): boolean {
      if (part !== null && this.incoming !== undefined) return this.incoming.push(part);
      this.incoming?.end();
      return super.push(part);
    }

    override _read(size: number): void {
      // Node reads on, to use the connection again, when the reply is out.
      if (this.incoming?.dropped !== true) super._read(size);
    }
  }
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  class AppResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
