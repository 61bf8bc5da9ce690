/** The three numbers of semantic versioning. Released contracts have no pre-releases. */
export type Version = readonly [major: number, minor: number, patch: number];

/** How far a version must go for what has changed since the last. */
export type Level = 'major' | 'minor' | 'patch';

/** undefined if it is not three numbers, as in `1.2.0`. */
export function readVersion(text: string): Version | undefined {
  const [, major, minor, patch] = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/.exec(text) ?? [];
  return patch === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

export function compareVersions(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

/** The lowest version that may follow another. */
export function next([major, minor, patch]: Version, level: Level): Version {
  const versions: Record<Level, Version> = {
    major: [major + 1, 0, 0],
    minor: [major, minor + 1, 0],
    patch: [major, minor, patch + 1],
  };
  return versions[level];
}

export function show(version: Version): string {
  return version.join('.');
}
