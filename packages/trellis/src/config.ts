import { existsSync } from 'node:fs';
import type { Environment, Found } from './environment.ts';
import { ExplainedError, messageOf } from 'trellis-contract/ground';
import { WrongSettings } from './exit-codes.ts';
import { SETTINGS, type CommonSetting } from './read-settings.ts';
import type { AnyService, SettingValues } from './service.ts';

type DescribedSetting = Pick<AnyService, 'tables' | 'settings'>;

/**
 * All settings of a service: those of every service, and its own. The file of its store has the name of its first table;
 * but one that is there stays in use when the tables come after it, or change their order.
 *
 * @throws ExplainedError if one of its own has a name that it cannot have
 */
export function settingsOf({ tables, settings = {} }: DescribedSetting): Readonly<Record<string, CommonSetting>> {
  for (const name of Object.keys(settings)) {
    const fault = Object.hasOwn(SETTINGS, name)
      ? ', which is one of trellis: choose another name'
      : !/^[A-Z][A-Z\d_]*$/.test(name) && ': its name must be of capitals, digits and _';
    if (fault !== false) throw new ExplainedError(`the service has a setting ${name}${fault}`);
  }
  const names = Object.keys(tables);
  const stored = [...names, 'store'].find((name) => existsSync(`data/${name}.db`));
  const store = `sqlite:data/${stored ?? names[0] ?? 'store'}.db`;
  return { ...SETTINGS, DATABASE_URL: { ...SETTINGS.DATABASE_URL, default: store }, ...settings };
}

/** Settings that have no effect without another one. */
const NEEDS = {
  JWT_AUDIENCE: 'JWT_ISSUER',
  JWT_SCOPE: 'JWT_ISSUER',
  JWKS_URL: 'JWT_ISSUER',
  CORS_HEADERS: 'CORS_ORIGINS',
} satisfies Partial<Record<keyof typeof SETTINGS, keyof typeof SETTINGS>>;

type Defaulted = typeof SETTINGS & { readonly DATABASE_URL: { readonly default: string } };
/** The values of all settings of a service. The type has only those that every service has. */
export type Config = SettingValues<Defaulted>;

export function ownSettings({ settings = {} }: DescribedSetting, config: Config): Readonly<Record<string, unknown>> {
  const all: Readonly<Record<string, unknown>> = config;
  return Object.fromEntries(Object.keys(settings).map((name) => [name, all[name]]));
}

/**
 * @param found what the files of settings hold besides settings; its doubts may explain a missing setting
 * @throws WrongSettings that names every fault
 */
export function readConfig(
  service: DescribedSetting,
  environment: Environment,
  found: Partial<Pick<Found, 'faults' | 'doubts'>> = {},
): Config {
  const { config, faults } = examine(service, environment);
  const all = [...faults, ...(found.faults ?? [])];
  if (all.length > 0) throw new WrongSettings([...all, ...(found.doubts ?? [])].join('; '));
  return config;
}

/** Reads all settings. A value with a fault is undefined. */
export function examine(
  service: DescribedSetting,
  environment: Environment,
): { readonly config: Config; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const isSet = (name: string) => textIn(environment, name) !== undefined;
  const values = Object.entries(settingsOf(service)).map(([name, setting]) => {
    const text = textIn(environment, name) ?? setting.default;
    try {
      return [name, text === undefined ? undefined : setting.read(text)];
    } catch (error) {
      // The reader's own message may quote the value.
      const fault = setting.secret ? `is refused, and not shown: it must be ${setting.meaning}` : messageOf(error);
      faults.push(`${name} ${fault}`);
      return [name, undefined];
    }
  });
  // Each value has the type that its reader returns, which Object.fromEntries forgets.
  const config = Object.fromEntries(values) as Config;
  const { HOST, PORT, ADMIN_HOST, ADMIN_PORT = 0 } = config;
  if (ADMIN_PORT !== 0 && ADMIN_PORT === PORT && ADMIN_HOST === HOST) faults.push('ADMIN_PORT must differ from PORT');
  for (const [name, needed] of Object.entries(NEEDS))
    if (isSet(name) && !isSet(needed)) faults.push(`${name} needs ${needed}: set ${needed}, or remove ${name}`);
  if (isSet('JWT_ISSUER') && !isSet('JWT_AUDIENCE'))
    faults.push('JWT_ISSUER needs JWT_AUDIENCE: set it to the `aud` of tokens for this service');
  return { config, faults };
}

/** Treats an empty setting as missing, as containers often cannot unset a variable. */
export function textIn(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === '' ? undefined : text;
}
