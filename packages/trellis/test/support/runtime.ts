import { readFileSync } from 'node:fs';
import { createRequire, type ImportAttributes, stripTypeScriptTypes } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Module, SourceTextModule, SyntheticModule } from 'node:vm';
import type jestRuntime from 'jest-runtime';
import type Environment from './environment.ts';

const require = createRequire(import.meta.url);
const { default: JestRuntime } = require('jest-runtime') as typeof jestRuntime;
const ROOT = new URL('../../../../', import.meta.url).href;

/** Whether a module belongs to the tests: as it may call `afterAll`, each test file gets an instance of its own. */
const isOfTests = (url: string) =>
  url.startsWith(ROOT) && /^(packages\/\w+\/(test|lab)|examples\/\w+\/test|test)\/.*\.ts$/.test(url.slice(ROOT.length));

const resolve = (specifier: string, from: string) =>
  import.meta.resolve(/^\.\.?\//.test(specifier) ? new URL(specifier, from).href : specifier);

/** The JavaScript of the modules of tests, by URL. */
const codes = new Map<string, string>();

function codeOf(url: string): string {
  const code = codes.get(url) ?? stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'));
  codes.set(url, code);
  return code;
}

function exporting(values: object): SyntheticModule {
  return new SyntheticModule(Object.keys(values), function () {
    for (const [name, value] of Object.entries(values)) this.setExport(name, value);
  });
}

/**
 * Jest's runtime, without Jest's loading of modules: what is tested, and the packages, are Node's own modules, one instance
 * for all test files of a worker. Jest would load each of them anew for each file.
 */
export default class Runtime extends JestRuntime {
  private readonly modules = new Map<string, Module>();
  private readonly evaluating = new Map<Module, Promise<Module>>();
  private readonly environment: Environment;

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

  override setGlobalsForRuntime(globals: object): void {
    this.modules.set('@jest/globals', exporting({ ...globals, jest: this.environment.moduleMocker }));
  }

  override unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  override async unstable_importModule(path: string): Promise<void> {
    await this.evaluated(this.load(pathToFileURL(path).href));
  }

  override teardown(): void {
    this.environment.moduleMocker.restoreAllMocks();
    super.teardown();
  }

  private readonly link = async (specifier: string, from: Module, attributes: ImportAttributes) => {
    const url = resolve(specifier, from.identifier);
    return (
      this.modules.get(specifier) ??
      (isOfTests(url)
        ? this.load(url)
        : exporting((await import(url, { with: attributes as Record<string, string> })) as object))
    );
  };

  private load(url: string): Module {
    const loaded = this.modules.get(url) ?? this.moduleOf(url, fileURLToPath(url));
    this.modules.set(url, loaded);
    return loaded;
  }

  private moduleOf(url: string, filename: string): Module {
    const meta = { ...this.environment.meta, url, filename, dirname: dirname(filename) };
    return new SourceTextModule(codeOf(url), {
      identifier: url,
      initializeImportMeta: (given) => Object.assign(given, meta, { resolve: (each: string) => resolve(each, url) }),
      importModuleDynamically: async (specifier, from, attributes) =>
        await this.evaluated(await this.link(specifier, from, attributes)),
    });
  }

  private evaluated(module: Module): Promise<Module> {
    const evaluating = this.evaluating.get(module) ?? this.evaluate(module);
    this.evaluating.set(module, evaluating);
    return evaluating;
  }

  private async evaluate(module: Module): Promise<Module> {
    // Another module may have linked it.
    if (module.status === 'unlinked')
      await module.link(async (specifier, from, { attributes }) => await this.link(specifier, from, attributes));
    await module.evaluate();
    return module;
  }
}
