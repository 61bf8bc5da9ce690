/** The values of columns and of JSON that a patch replaces whole. */
type Whole = string | number | bigint | boolean | Date | Uint8Array | readonly unknown[];

/** A patch may name the members of the stored value, and no others. */
type Named<Patch, Stored> = Patch & Readonly<Record<Exclude<keyof Patch, keyof Stored>, NoSuchMember>>;
interface NoSuchMember {
  readonly 'no such member': never;
}

type Optional<T, Name extends keyof T> = object extends Pick<T, Name> ? true : false;
type Without<Mark, T, When> = When extends true ? Exclude<T, Mark> : T;

/** The type of a value after a patch, in which undefined leaves the value, and null removes it. */
type Changed<Stored, Patch> = Patch extends undefined
  ? Stored
  : Patch extends null
    ? undefined
    : Patch extends Whole
      ? Patch
      : Stored extends Whole | null | undefined
        ? MergedObject<unknown, Patch>
        : MergedObject<Stored, Patch>;

type MergedObject<Stored, Patch> = {
  [Name in keyof Stored]: Name extends keyof Patch
    ? Without<undefined, Changed<Stored[Name], Patch[Name]>, Optional<Stored, Name>>
    : Stored[Name];
} & {
  [Name in keyof Patch as Name extends keyof Stored ? never : null extends Patch[Name] ? never : Name]: Changed<
    undefined,
    Patch[Name]
  >;
} & {
  [Name in keyof Patch as Name extends keyof Stored ? never : null extends Patch[Name] ? Name : never]?: Exclude<
    Changed<undefined, Patch[Name]>,
    undefined
  >;
};

/**
 * Merges the patch of a client into what is stored (JSON Merge Patch, RFC 7396): a member of the patch replaces that of
 * the stored value, null removes it, an object is merged member by member. Neither argument changes; an int64 stays a
 * bigint.
 *
 * @param stored a row, or a value of JSON
 * @param patch a body, in which an undefined member was not sent
 */
export function mergePatch<Stored extends object, Patch extends object>(
  stored: Stored,
  patch: Named<Patch, Stored>,
): MergedObject<Stored, Patch> {
  return merged(stored, patch) as MergedObject<Stored, Patch>;
}

function merged(stored: unknown, patch: unknown): unknown {
  if (!hasMembers(patch)) return patch;
  // A Map, as a member may have the name `__proto__`.
  const members = new Map(hasMembers(stored) ? Object.entries(stored) : []);
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) members.delete(name);
    else if (change !== undefined) members.set(name, merged(members.get(name), change));
  }
  return Object.fromEntries(members);
}

function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return !(Array.isArray(value) || value instanceof Date || value instanceof Uint8Array);
}
