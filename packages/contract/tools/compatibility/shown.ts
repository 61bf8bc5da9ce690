import { exactJson } from '../../src/schema/int64.ts';
import type { DerivedReply } from '../derivation/messages.ts';
import { payloadOf, type Wire } from '../derivation/wire.ts';

const MAX_SHOWN = 5;
const MAX_TEXT = 60;

/** The shortest message for each fault. */
export class Samples {
  private readonly texts = new Map<string, string>();

  add(fault: string, text: string): void {
    const known = this.texts.get(fault);
    if (known === undefined || text.length < known.length) this.texts.set(fault, text);
  }

  /** A few lines, such as `{"size":1} is refused: body.size must be at least 2`. */
  lines(how: string): string[] {
    const all = [...this.texts].toSorted(([, one], [, other]) => one.length - other.length);
    return all.slice(0, MAX_SHOWN).map(([fault, text]) => `${cut(text)}${how}: ${cut(fault)}`);
  }
}

/** @param template the path of the operation, which need not be repeated */
export function requestText({ sent: { path, query, headers }, body }: Wire, template: string): string {
  const target = [...(path === template ? [] : [path]), ...(query === '' ? [] : [`?${query}`])].join('');
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const payload = body && payloadOf(body);
  const shown = typeof payload === 'object' ? `${payload.length} bytes` : payload;
  return [target, ...fields, shown].filter(Boolean).join(' ') || 'a request without a body';
}

export function replyText({ headers, body }: DerivedReply): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${exactJson(value)}`);
  return [...fields, ...(body === undefined ? [] : [exactJson(body)])].join(' ') || 'an empty reply';
}

export function change(was: unknown, is: unknown): string {
  return [was, is].map((each) => (each === undefined ? 'none' : cut(exactJson(each)))).join(' → ');
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;
}
