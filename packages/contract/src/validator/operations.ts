import type { ContractOperation, Declared } from '../message/operation.ts';
import { ContractError } from '../contract-error.ts';
import { messageOf } from '../explained-error.ts';
import { type ContractContent, replyFor } from '../message/content.ts';
import { ContractBroken, inWords, ReplyError, tooMuchWork } from '../message/faults.ts';
import { budget, Overspent } from '../schema/budget.ts';
import { explained } from '../schema/overspent.ts';
import { follower, type OpenApiDocument } from '../schema/document.ts';
import { directly } from '../schema/findings.ts';
import { judging } from './bytes.ts';
import { trialsOfDefaults } from './defaults.ts';
import { toMessages } from './message-schemas.ts';
import { Translation } from './translation.ts';
import { replyCompiler, requestCompiler } from './validator-eov.ts';
import type { Finder, FindFaults } from './verdict.ts';

/** The translations of messages and of their parts, with the functions that compile them. */
export interface Compilers {
  readonly request: Compiling;
  readonly reply: Compiling;
}

interface Compiling {
  readonly translation: Translation;
  readonly compile: (component: string) => Finder;
}

/** @param isServed whether messages will be validated */
export function compilersOf(document: OpenApiDocument, isServed = true): Compilers {
  const follow = follower(document);
  const [request, reply] = [new Translation('request', follow), new Translation('reply', follow)];
  return {
    request: { translation: request, compile: requestCompiler(request, isServed) },
    reply: { translation: reply, compile: replyCompiler(reply, isServed) },
  };
}

/**
 * @returns the operations that compile
 * @throws ContractError, those that `attempt` throws
 */
export function withValidators(
  operations: readonly Declared[],
  document: OpenApiDocument,
  attempt = directly,
  compilers = compilersOf(document),
): ContractOperation[] {
  const { translation: requests, compile: ofRequest } = compilers.request;
  const { translation: replies, compile: ofReply } = compilers.reply;
  const messages = operations.flatMap(
    (operation) =>
      attempt(() => compiles(operation.place, () => [{ operation, ...toMessages(operation, requests, replies) }])) ??
      [],
  );
  const translated = messages.map(({ operation }) => operation);
  const trials = trialsOfDefaults(translated, requests, follower(document), attempt);
  const succeeds = ({ name, component, sent, filled, location }: (typeof trials)[number]['ofAll']) =>
    attempt(() => {
      const find = ofRequest(component);
      const wrong = compiles(location, () => (find.first({ [name]: sent }) ? undefined : find({ [name]: filled })));
      if (wrong !== undefined) throw new ContractError(inWords(wrong), location);
      return true;
    }) === true;
  // The trial of all defaults would repeat the fault of each.
  for (const { ofEach, ofAll } of trials) if (ofEach.map(succeeds).every(Boolean)) succeeds(ofAll);
  return messages.flatMap(
    ({ operation, bodies, responses }) =>
      attempt(() => {
        const validator = compiles(operation.place, () =>
          validatorOf(
            operation,
            compiledBy(ofRequest, bodies, (type) => operation.body?.types.get(type)),
            compiledBy(ofReply, responses, (status) => operation.replies.get(status)?.content),
          ),
        );
        return [{ ...operation, validator }];
      }) ?? [],
  );
}

function compiledBy(
  compile: (component: string) => FindFaults,
  components: ReadonlyMap<string, string>,
  contentOf: (key: string) => ContractContent | undefined,
): ReadonlyMap<string, FindFaults> {
  return new Map(Array.from(components, ([key, component]) => [key, judging(contentOf(key), compile(component))]));
}

/** @param requests finders of faults by the media type of the body @param replies finders of faults by status */
function validatorOf(
  { id }: Declared,
  requests: ReadonlyMap<string, FindFaults>,
  replies: ReadonlyMap<string, FindFaults>,
): ContractOperation['validator'] {
  // For a request without a body, the checks of all media types are the same.
  const [first] = requests.values();
  return {
    request: (request, mediaType = '', work) => {
      const find = requests.get(mediaType) ?? first;
      const faults = withinWork(() => find?.(request, work), tooMuchWork);
      if (faults !== undefined) throw new ContractBroken(faults, request);
      return budget.rest;
    },
    reply: (status, headers, body, work) => {
      const find = replyFor(replies, status);
      const faults = withinWork(
        () => find?.({ headers, body }, work),
        (why) => new ReplyError(id, [], why),
      );
      if (faults !== undefined) throw new ReplyError(id, faults);
    },
  };
}

/** @param place of what is compiled @throws ContractError if it does not compile, or takes too much work */
export function compiles<T>(place: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (error instanceof ContractError) throw error;
    if (error instanceof Overspent) throw new ContractError(explained(error));
    if (error instanceof RangeError)
      throw new ContractError(
        'this is too large to compile: shorten the chains of schemas that refer to each other, and give objects fewer members',
        place,
      );
    throw new ContractError(`this does not compile: ${messageOf(error)}`, place);
  }
}

/** Catches an Overspent, and throws the error that `refusal` makes of its explanation. */
function withinWork<T>(judge: () => T, refusal: (why: string) => Error): T {
  try {
    return judge();
  } catch (error) {
    throw error instanceof Overspent ? refusal(explained(error)) : error;
  }
}
