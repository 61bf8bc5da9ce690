import { DATA, MAPS } from '../../src/rules/objects.ts';
import { targetOf } from '../../src/schema/document.ts';
import { areEqual } from '../../src/schema/exact.ts';
import { exactJson } from '../../src/schema/int64.ts';
import { isObject } from '../derivation/values.ts';

/** Members that are for people, and those that compare.ts compares separately. */
const PROSE =
  /^(x-.*|title|summary|description|examples?|externalDocs|deprecated|tags|\$comment|bearerFormat|operationId|security)$/;
/** Keywords whose lists have no order. */
const SETS = /^(enum|required|type|allOf|anyOf|oneOf)$/;

/** Whether two parts of contracts mean the same, except for prose. */
export function isUnchanged(
  was: unknown,
  is: unknown,
  documents: readonly [was: object, is: object],
  seen = new Set(),
) {
  const before = withoutProse(was);
  if (!areEqual(before, withoutProse(is))) return false;
  return referencesIn(before).every((reference): boolean => {
    if (seen.has(reference)) return true;
    seen.add(reference);
    const [one, other] = documents.map((each) => targetOf(each, reference));
    return isUnchanged(one, other, documents, seen);
  });
}

/** A part of a contract as it decides about messages. */
export function withoutProse(value: unknown, keyword = '', isMap = false): unknown {
  if (DATA.test(keyword) && !SETS.test(keyword)) return value;
  if (Array.isArray(value)) {
    const items = DATA.test(keyword) ? value : value.map((each: unknown) => withoutProse(each));
    return SETS.test(keyword) ? [...new Set(items.map(exactJson))].sort() : items;
  }
  if (!isObject(value)) return SETS.test(keyword) ? [exactJson(value)] : value;
  const members = Object.entries(value).filter(([name]) => isMap || !PROSE.test(name));
  return Object.fromEntries(
    members.map(([name, each]) => [name, isMap ? withoutProse(each) : withoutProse(each, name, MAPS.has(name))]),
  );
}

/** The references in a value. A set has its items as texts of JSON, so that their quotes have backslashes before them. */
function referencesIn(value: unknown): string[] {
  return [...exactJson(value ?? null).matchAll(/\\*"\$ref\\*":\\*"(#[^"\\]*)/g)].map(([, reference = '']) => reference);
}
