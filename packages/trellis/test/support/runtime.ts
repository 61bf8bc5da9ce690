import { hash } from 'node:crypto';
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type jestRuntime from 'jest-runtime';
import type Environment from './environment.ts';

const require = createRequire(import.meta.url);
const { default: JestRuntime } = require('jest-runtime') as typeof jestRuntime;
const ROOT = new URL('../../../../', import.meta.url).href;
const GLOBALS = 'jest:globals';

/** Whether a module belongs to the tests: as it may call `afterAll`, each test file gets an instance of its own. */
const isOfTests = (url: string) =>
  url.startsWith(ROOT) && /^(packages\/\w+\/(test|lab)|examples\/\w+\/test|test)\/.*\.ts$/.test(url.slice(ROOT.length));

// Node loads all modules: those that are tested, and the packages, once for all test files of a worker. A query gives each
// test file instances of its own of the modules of tests.
registerHooks({
  resolve: (specifier, context, next) => {
    const [query] = /\?of=.*/.exec(context.parentURL ?? '') ?? [];
    if (query === undefined) return next(specifier, context);
    if (specifier === '@jest/globals') return { url: GLOBALS + query, shortCircuit: true };
    const found = next(specifier, context);
    return isOfTests(found.url) ? { ...found, url: found.url + query } : found;
  },
  load: (url, context, next) => {
    if (!url.startsWith(GLOBALS)) return next(url, context);
    const key = Symbol.for(url.slice(GLOBALS.length));
    const { globals } = Reflect.get(globalThis, key) as { readonly globals: object };
    const names = Object.keys(globals).join(', ');
    const source = `export const { ${names} } = globalThis[Symbol.for('${key.description ?? ''}')].globals;`;
    return { format: 'module', source, shortCircuit: true };
  },
});

/** How often this process has run a test file: more than once with `--watch`. */
const runs = new Map<string, number>();

/** Jest's runtime, without Jest's loading of modules. */
export default class Runtime extends JestRuntime {
  private readonly environment: Environment;
  /** What `@jest/globals` exports. */
  private globals: object = {};

  constructor(...given: ConstructorParameters<typeof JestRuntime>) {
    super(...given);
    // Jest makes the environment from the class that its configuration names.
    this.environment = given[1] as unknown as Environment;
  }

  /** Loads the part of jest-circus that has the state of a test file. */
  override requireInternalModule(path: string): never {
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (['EVENT_HANDLERS', 'JEST_STATE_SYMBOL'].includes(String(symbol.description))) {
        Reflect.deleteProperty(globalThis, symbol);
      }
    }
    Reflect.deleteProperty(require.cache, path);
    return require(path) as never;
  }

  override setGlobalsForRuntime(given: object): void {
    this.globals = { ...given, jest: this.environment.moduleMocker };
  }

  override unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  override async unstable_importModule(path: string): Promise<void> {
    const { href } = pathToFileURL(path);
    const run = (runs.get(href) ?? 0) + 1;
    runs.set(href, run);
    // The same query in the next process, for NODE_COMPILE_CACHE.
    const query = `?of=${hash('sha256', `${href} ${run}`).slice(0, 6)}`;
    const { testFile } = this.environment;
    Object.assign(globalThis, { [Symbol.for(query)]: { globals: this.globals, testFile } });
    await import(href + query);
  }

  override teardown(): void {
    this.environment.moduleMocker.restoreAllMocks();
    super.teardown();
  }
}
