import type { Logger } from 'pino';
import type { Services, Tools } from '../services.ts';
import type { Context } from './context.ts';

/** @returns the class of a request's Tools: its prototype holds the services, which all requests share */
export function toolsWith(services: Services): new (context: Context) => Tools {
  class RequestTools {
    private readonly context: Context;
    private child: Logger | undefined;

    constructor(context: Context) {
      this.context = context;
    }

    get caller() {
      return this.context.caller;
    }

    get log() {
      const { ledger, requestId } = this.context;
      return (this.child ??= ledger.logger.child({ requestId }));
    }

    get signal() {
      return this.context.signal;
    }
  }
  Object.assign(RequestTools.prototype, services);
  return RequestTools as new (context: Context) => RequestTools & Services;
}
