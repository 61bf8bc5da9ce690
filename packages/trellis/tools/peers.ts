import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import packageJson from '../package.json' with { type: 'json' };
import template from '../template/package.json' with { type: 'json' };

// The packages for development. A service that only runs lacks them, and another major version of one has another API.

/** @returns why a command failed with this error, and the cure; undefined if it was not for a package */
export function wrongPackage(error: unknown): string | undefined {
  const isMissing = Error.isError(error) && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  for (const [name, range] of Object.entries(packageJson.peerDependencies)) {
    const version = installed(name);
    if (version === undefined && isMissing)
      return `the package ${name} is missing, which this command needs: run \`${install(Object.keys(packageJson.peerDependencies))}\``;
    if (version !== undefined && !isIn(range, version))
      return `${name} ${version} is installed, and this command needs ${range}: run \`${install([name])}\``;
  }
  return undefined;
}

function install(names: readonly string[]): string {
  const versions: Readonly<Record<string, string>> = template.devDependencies;
  const exact = names.map((name) => `${name}@${versions[name] ?? ''}`).join(' ');
  return `npm install --save-dev --save-exact --ignore-scripts ${exact}`;
}

function installed(name: string): string | undefined {
  try {
    const file = findPackageJSON(name, import.meta.url);
    return file && (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
  } catch {
    return undefined;
  }
}

/** @param range as `^7.13.0` or `>=5.8 <7` */
export function isIn(range: string, version: string): boolean {
  const [, from = '', below = String(Number.parseInt(from) + 1)] = /^(?:\^|>=)(\S+)(?: <(\S+))?$/.exec(range) ?? [];
  const isBelow = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true }) < 0;
  return !isBelow(version, from) && isBelow(version, below);
}
