import type { RequestListener } from 'node:http';
import { parse } from 'node:querystring';
import type { RequestHandler } from 'express';
import express from 'express';
import type { Logger } from 'pino';
import type { Authenticator } from './auth/authenticator.ts';
import type { Contract } from './contract/contract.ts';
import { ErrorNumber, Refusal } from './contract/errors.ts';
import type { Handler } from './contract/router.ts';
import { createRouter } from './contract/router.ts';
import type { OperationValidator } from './contract/validator.ts';
import { createDocs } from './docs.ts';
import { answerFailure } from './failures.ts';
import { logRequests } from './log.ts';
import { requireHost, sentPath, takeOriginForm } from './request-target.ts';
import type { Services } from './operations/services.ts';

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
export function createApp(options: AppOptions): RequestListener {
  const { contract, validators, operations, services, authenticator, logger, basePath } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  // All parameters: by default those beyond the 1,000th are dropped, and would not be refused.
  app.set('query parser', (query: string) => parse(query, '&', '=', { maxKeys: 0 }));
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
  return (request, response) => {
    takeOriginForm(request);
    app(request, response);
  };
}

const unknownPath: RequestHandler = (request) => {
  throw new Refusal(ErrorNumber.pathUnknown, `the path ${sentPath(request)} does not exist`);
};
