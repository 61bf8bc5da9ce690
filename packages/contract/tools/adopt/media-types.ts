import { kindOf } from '../../src/message/content.ts';
import { OTHER_TYPE } from '../../src/rules/vocabulary.ts';
import { locationOf, type Media, METHODS, resolver } from '../../src/schema/document.ts';
import { asked, type Question } from './decisions.ts';
import type { Draft } from './edits.ts';
import { linksTo } from './links.ts';
import { isJson } from './reading.ts';
import { memberOf, type OperationNode, type Tree, operationsIn, rename, safely } from './tree.ts';

/** A request body or a reply, with its media types. */
interface Bodies {
  readonly node: Tree;
  readonly content: Tree;
  readonly where: string;
  readonly of: 'request' | 'success' | 'failure';
}

/** A media type without parameters such as `v=1`: JSON has none (RFC 8259, section 11), and the service reads no others. */
const bare = (type: string) => type.replace(/;.*/, '').trim().toLowerCase();
const isAny = (type: string) => /^(?:\*|application)\/\*$/.test(type);
const isBodyOfJson = (type: string) => isJson(bare(type));
const isName = (type: string) => isJson(type) || OTHER_TYPE.test(type);
/** Whether the body is a text or bytes. */
const isPlain = (type: string, media: unknown, { follow }: Draft) =>
  OTHER_TYPE.test(type) && safely(() => kindOf(type, media as Media, follow, '')) !== undefined;

/** Whether a body of any media type has JSON: `format: binary` says bytes, which a text of JSON cannot hold. */
function isAnyJson(type: string, content: Tree, { document }: Draft): boolean {
  const schema = memberOf(content[type], 'schema');
  const found = schema && safely(() => resolver(document)(schema));
  const { format, contentMediaType = 'application/json' } = found ?? {};
  return format !== 'binary' && isBodyOfJson(String(contentMediaType));
}

function bodiesOf({ node: operation, method, path }: OperationNode, { document }: Draft): Bodies[] {
  const resolve = resolver(document);
  const responses = memberOf(operation, 'responses') ?? {};
  const isOnly = !Object.keys(responses).some((each) => each.startsWith('2'));
  const declared = [
    [memberOf(operation, 'requestBody'), 'requestBody', 'request'] as const,
    ...Object.keys(responses).map((status) => {
      const of = status.startsWith('2') || (status === 'default' && isOnly) ? 'success' : 'failure';
      return [memberOf(responses, status), `response ${status}`, of] as const;
    }),
  ];
  return declared.flatMap(([holder, what, of]) => {
    const node = holder && safely(() => resolve(holder));
    const content = memberOf(node, 'content');
    return node && content ? [{ node, content, where: `${method} ${path}, ${what}`, of }] : [];
  });
}

function bodiesIn(draft: Draft): Bodies[] {
  const found = new Map<Tree, Bodies>();
  for (const body of operationsIn(draft.document).flatMap((each) => bodiesOf(each, draft)))
    if (found.get(body.node)?.of !== 'success') found.set(body.node, body);
  return [...found.values()];
}

/** Whether a request, or a success, may have no body that the service keeps. */
function isOther({ content, of }: Bodies, draft: Draft): boolean {
  const types = Object.keys(content);
  return of !== 'failure' && types.length > 0 && !types.some((each) => isTaken(each, content, draft));
}

const isTaken = (type: string, content: Tree, draft: Draft) =>
  isBodyOfJson(type) || isAny(type) || isPlain(bare(type), content[type], draft);

const typesIn = ({ content }: Bodies) => Object.keys(content).join(', ');

/** The reply after which the connection has another protocol, such as a WebSocket. */
function switchedIn({ node, method, path }: OperationNode): Bodies[] {
  const reply = memberOf(memberOf(node, 'responses'), '101');
  const where = `${method} ${path}, response 101`;
  return reply === undefined ? [] : [{ node: reply, content: { 'another protocol': {} }, where, of: 'success' }];
}

/** The operations that have such bodies. */
function othersIn(draft: Draft) {
  const all = operationsIn(draft.document);
  const found = all.flatMap((operation) => {
    const bodies = [...bodiesOf(operation, draft).filter((each) => isOther(each, draft)), ...switchedIn(operation)];
    return bodies.length === 0 ? [] : [{ operation, bodies }];
  });
  return { found, areAll: found.length === all.length };
}

/** @returns the refusals of all bodies of other kinds, where no operation would be left without them */
export function withoutOperations(draft: Draft): string[] {
  const { found, areAll } = othersIn(draft);
  const cure =
    'describe the body as application/json, as a text or as bytes: no operation would be left without such bodies';
  return found.flatMap(({ bodies }) =>
    bodies
      .filter(() => areAll)
      .map((each) => {
        const { content, where } = each;
        return `${locationOf(content)}, ${where}: ${typesIn(each)} is neither JSON nor a text or bytes, and the service has no other bodies: ${cure}`;
      }),
  );
}

export const OPERATIONS: Question = {
  key: 'operations',
  ask: (draft) => {
    const { found, areAll } = othersIn(draft);
    const gone = areAll ? [] : found.map(({ operation: { node } }) => node);
    const links = gone.length === 0 ? [] : linksTo(gone, draft.document);
    const apply = () => {
      const paths = memberOf(draft.document, 'paths') ?? {};
      for (const { operation } of found) {
        const { item, method, path } = operation;
        Reflect.deleteProperty(item, method);
        if (!METHODS.some((each) => Object.hasOwn(item, each))) Reflect.deleteProperty(paths, path);
      }
      for (const { holder, name } of links) Reflect.deleteProperty(holder, name);
    };
    const others = (areAll ? [] : found).flatMap(({ operation: { item, method }, bodies }) =>
      bodies.map((each) => ({ node: item, member: method, name: `${each.where}: ${typesIn(each)}` })),
    );
    return asked(
      'operations with bodies of a kind that the service does not have, such as forms, multipart, streams, XML and WebSockets',
      [
        ...others,
        ...links.map(({ holder, name }) => ({
          node: holder,
          member: name,
          name: `the link ${name}, which leads there`,
        })),
      ],
      { name: 'leave-out', means: 'the service does not have the operation, and no link leads to it', apply },
    );
  },
};

/**
 * The media types to keep: all of a request, one of a reply, which is JSON if it can be, and of a failure. `charset=utf-8`
 * makes no other type.
 */
function keptOf({ content, of }: Bodies, draft: Draft): string[] {
  // The shortest one comes first: application/json, without parameters.
  const json = Object.keys(content)
    .filter(isJson)
    .sort((one, other) => one.length - other.length);
  const plain = Object.keys(content).filter((type) => of !== 'failure' && isPlain(type, content[type], draft));
  const groups = Map.groupBy([...json, ...plain], (each) => each.replace(/;.*/, ''));
  const kept = [...groups.values()].flatMap(([first]) => first ?? []);
  return of === 'request' ? kept : kept.slice(0, 1);
}

export const MEDIA_TYPES: Question = {
  key: 'media-types',
  ask: (draft) => {
    const wide = bodiesIn(draft).filter((each) => keptOf(each, draft).length < Object.keys(each.content).length);
    const apply = () => {
      for (const each of wide) {
        const { node, content } = each;
        for (const type of Object.keys(content))
          if (!isName(type) && isName(bare(type))) rename(content, type, bare(type), content[type]);
        const types = Object.keys(content);
        const any = types.find(isAny);
        const meant =
          any !== undefined && isAnyJson(any, content, draft) ? 'application/json' : 'application/octet-stream';
        if (any !== undefined && !types.some(isName)) rename(content, any, meant, content[any]);
        const kept = keptOf(each, draft);
        for (const type of Object.keys(content)) if (!kept.includes(type)) Reflect.deleteProperty(content, type);
        if (kept.length === 0) Reflect.deleteProperty(node, 'content');
      }
    };
    return asked(
      'bodies of other media types than the service has',
      wide.map(({ content, where }) => ({ node: content, name: `${where}: ${Object.keys(content).join(', ')}` })),
      {
        name: 'json',
        means:
          'of a request, JSON, texts and bytes stay, of a reply one of them, JSON before others, without parameters of the media type; */* counts as JSON, or as bytes; a failure without JSON has no body',
        apply,
      },
    );
  },
};
