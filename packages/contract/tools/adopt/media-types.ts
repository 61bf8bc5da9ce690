import { locationOf, resolver } from '../../src/schema/document.ts';
import { asked, type Question } from './decisions.ts';
import type { Draft } from './edits.ts';
import { isJson } from './reading.ts';
import { memberOf, type Tree, operationsIn, rename, repliesIn, safely } from './tree.ts';

/** A request body or a reply, with its media types. */
interface Bodies {
  readonly node: Tree;
  readonly content: Tree;
  readonly where: string;
  readonly of: 'request' | 'success' | 'failure';
}

/** A media type without parameters such as `v=1`: JSON has none (RFC 8259, section 11). */
const bare = (type: string) => type.replace(/;.*/, '').trim().toLowerCase();
const isAny = (type: string) => /^(?:\*|application)\/\*$/.test(type);
const isBodyOfJson = (type: string) => isJson(bare(type));

/** Whether a body of any media type has JSON: `format: binary` says bytes, which a text of JSON cannot hold. */
function isAnyJson(type: string, content: Tree, { document }: Draft): boolean {
  const schema = memberOf(content[type], 'schema');
  const found = schema && safely(() => resolver(document)(schema));
  const { format, contentMediaType = 'application/json' } = found ?? {};
  return isAny(type) && format !== 'binary' && isBodyOfJson(String(contentMediaType));
}

function bodiesIn({ document }: Draft): Bodies[] {
  const resolve = resolver(document);
  const found = new Map<Tree, Bodies>();
  const add = (node: Tree | undefined, where: string, of: Bodies['of']) => {
    const content = memberOf(node, 'content');
    if (node !== undefined && content !== undefined && found.get(node)?.of !== 'success')
      found.set(node, { node, content, where, of });
  };
  for (const { node, method, path } of operationsIn(document)) {
    const body = memberOf(node, 'requestBody');
    add(body && safely(() => resolve(body)), `${method} ${path}, requestBody`, 'request');
  }
  for (const { reply, status, responses, where } of repliesIn(document)) {
    const isOnly = status === 'default' && !Object.keys(responses).some((each) => each.startsWith('2'));
    add(reply, where, isOnly || status.startsWith('2') ? 'success' : 'failure');
  }
  return [...found.values()];
}

/** @returns a refusal of each body that no edit makes JSON: the service reads and writes nothing else */
export function withoutJson(draft: Draft): string[] {
  return bodiesIn(draft).flatMap(({ content, where, of }) => {
    const types = Object.keys(content);
    const isBody = (type: string) => isBodyOfJson(type) || isAnyJson(type, content, draft);
    if (of === 'failure' || types.length === 0 || types.some(isBody)) return [];
    const cure = 'leave the operation out, or describe the body as application/json';
    const named = types.map((each) => (isAny(each) ? `${each} of bytes` : each)).join(', ');
    return [`${locationOf(content)}, ${where}: ${named} is not JSON, and the service has no other bodies: ${cure}`];
  });
}

/** The media types of JSON to keep: all of a request, one of a reply. `charset=utf-8` makes no other type. */
function keptOf({ content, of }: Bodies): string[] {
  // The shortest one comes first: application/json, without parameters.
  const json = Object.keys(content)
    .filter(isJson)
    .sort((one, other) => one.length - other.length);
  const kept = [...Map.groupBy(json, (each) => each.replace(/;.*/, '')).values()].flatMap(([first]) => first ?? []);
  return of === 'request' ? kept : kept.slice(0, 1);
}

export const MEDIA_TYPES: Question = {
  key: 'media-types',
  ask: (draft) => {
    const wide = bodiesIn(draft).filter((each) => keptOf(each).length < Object.keys(each.content).length);
    const onlyJson = () => {
      for (const each of wide) {
        const { node, content } = each;
        for (const type of Object.keys(content))
          if (!isJson(type) && isBodyOfJson(type)) rename(content, type, bare(type), content[type]);
        const types = Object.keys(content);
        const any = types.find((type) => isAnyJson(type, content, draft));
        if (any !== undefined && !types.some(isJson)) rename(content, any, 'application/json', content[any]);
        const kept = keptOf(each);
        for (const type of Object.keys(content)) if (!kept.includes(type)) Reflect.deleteProperty(content, type);
        if (kept.length === 0) Reflect.deleteProperty(node, 'content');
      }
    };
    return asked(
      'bodies of other media types than JSON',
      wide.map(({ content, where }) => ({ node: content, name: `${where}: ${Object.keys(content).join(', ')}` })),
      {
        name: 'json',
        means:
          'the service reads and writes JSON only, without parameters of the media type; */* counts as JSON; a failure without JSON has no body',
        apply: onlyJson,
      },
    );
  },
};
