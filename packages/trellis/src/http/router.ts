import type { IRouter, RequestHandler } from 'express';
import type { Authenticator } from '../auth/authenticator.ts';
import { ContractError, ErrorNumber, Refusal } from 'trellis-contract/ground';
import type { Loaded } from 'trellis-contract';
import type { AnyService, Handler, Shared } from '../service.ts';
import { toolsWith } from './context.ts';
import { middlewaresOf } from './middlewares.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';

export interface RouterOptions {
  readonly contract: Loaded;
  readonly operations: AnyService['operations'];
  readonly shared: Shared;
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly rateLimit?: RateLimit | undefined;
  /** The path of BASE_URL: '' or such as `/api`. */
  readonly basePath: string;
}

/** Escapes the characters that have a meaning in a path of Express. */
export function literalPath(path: string): string {
  return path.replace(/[{}()[\]+?!:*\\]/g, '\\$&');
}

/** `/items/{id}` in Express's notation: `/items/:"id"`. */
function templatePath(template: string): string {
  const parts = template.split(/\{([^}]+)\}/);
  return parts.map((part, index) => (index % 2 === 1 ? `:${JSON.stringify(part)}` : literalPath(part))).join('');
}

/** Adds the operations to a router that is strict and case-sensitive. */
export function routeOperations(router: IRouter, options: RouterOptions): void {
  const { contract, operations, authenticator } = options;
  const undeclared = Object.keys(operations).filter((id) => !contract.operations.some((each) => each.id === id));
  if (undeclared.length > 0) throw outOfStep(`does not declare ${undeclared.join(', ')}, which the service has`);

  const basePath = options.basePath + contract.basePath;
  const countRequest = options.rateLimit && createRateLimit(options.rateLimit);
  const given = { authenticator, countRequest, RequestTools: toolsWith(options.shared), tell: contract.tell, basePath };
  /** The methods of the paths that a request matches, where none has its own. */
  const allowed = new WeakMap<object, string[]>();
  for (const [path, declared] of Map.groupBy(contract.operations, (each) => each.path)) {
    const route = router.route(literalPath(basePath) + templatePath(path));
    for (const operation of declared) {
      // The type Service has checked the operation with the types of its own request and tables, which are not known here.
      const { id } = operation;
      const handler = (Object.hasOwn(operations, id) ? operations[id] : undefined) as Handler | undefined;
      if (handler === undefined) throw outOfStep(`declares ${id}, which the service does not have`);
      route[operation.method.toLowerCase() as 'get'](...middlewaresOf(operation, handler, given));
    }
    // Express answers HEAD by the route of GET.
    const methods = declared.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    // A less concrete path may have the method.
    route.all((request, _response, next) => {
      allowed.set(request, [...(allowed.get(request) ?? []), ...methods]);
      next();
    });
  }
  router.use((request, response, next) => {
    const methods = allowed.get(request);
    if (methods === undefined) next();
    else onlyAllow([...new Set(methods)].join(', '))(request, response, next);
  });
}

export function onlyAllow(methods: string): RequestHandler {
  return ({ method }) => {
    const message = `the method ${method} is not allowed here: use ${methods}`;
    throw new Refusal(ErrorNumber.methodNotAllowed, message, { Allow: methods });
  };
}

function outOfStep(what: string): ContractError {
  return new ContractError(`the contract ${what}: run \`npm run generate\`, then \`npm run check\``);
}
