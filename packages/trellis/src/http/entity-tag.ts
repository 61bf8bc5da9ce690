/** An entity tag with its quotes; a weak one begins with `W/`. */
const TAG = /(?:W\/)?"[!#-~\x80-\xff]*"/g;
/** A list in which each tag is replaced by `""`. RFC 9110, section 5.6.1, allows empty elements. */
const LIST = /^[ \t,]*(?:""[ \t]*(?:,[ \t,]*|$))*$/;

/** The strong entity tag of a version, for `ETag`. A change of anything in the reply must change the version. */
export function entityTag(version: bigint | number): string {
  return `"${version}"`;
}

/**
 * Whether the field `If-Match` of a request holds for an entity tag: it is `*`, or a list that has the tag. A weak tag never
 * matches (RFC 9110, section 13.1.1), and a malformed list matches nothing.
 */
export function ifMatch(field: string, current: string): boolean {
  if (field.trim() === '*') return true;
  return !current.startsWith('W/') && tagsIn(field).includes(current);
}

/** Whether the field `If-None-Match` has an entity tag, weak or not (RFC 9110, section 13.1.2). */
export function isKnown(field: string, current: string): boolean {
  const opaque = (tag: string) => tag.replace(/^W\//, '');
  return field.trim() === '*' || tagsIn(field).map(opaque).includes(opaque(current));
}

function tagsIn(field: string): readonly string[] {
  return LIST.test(field.replaceAll(TAG, '""')) ? (field.match(TAG) ?? []) : [];
}
