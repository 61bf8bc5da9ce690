import { kindOf } from '../../src/message/content.ts';
import { OTHER_TYPE } from '../../src/rules/vocabulary.ts';
import { locationOf, type Media, resolver } from '../../src/schema/document.ts';
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

/** @returns a refusal of each body that is no text and no bytes, and that no edit makes JSON */
export function withoutJson(draft: Draft): string[] {
  return bodiesIn(draft).flatMap(({ content, where, of }) => {
    const types = Object.keys(content);
    const isBody = (type: string) => isBodyOfJson(type) || isAny(type) || isPlain(bare(type), content[type], draft);
    if (of === 'failure' || types.length === 0 || types.some(isBody)) return [];
    const cure = 'leave the operation out, or describe the body as application/json, as a text or as bytes';
    const named = `${types.join(', ')} is neither JSON nor a text or bytes`;
    return [`${locationOf(content)}, ${where}: ${named}, and the service has no other bodies: ${cure}`];
  });
}

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
