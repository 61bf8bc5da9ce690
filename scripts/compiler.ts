import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** How messages are printed: names of files as they are below the project. */
const FORMAT: ts.FormatDiagnosticsHost = {
  getCurrentDirectory: () => ROOT,
  getCanonicalFileName: (name) => name,
  getNewLine: () => '\n',
};

export interface Compilation {
  readonly program: ts.Program;
  /** What the compiler says, as `tsc` prints it; '' if nothing is wrong. */
  readonly errors: string;
  /** The files that were checked: those whose errors the changes since the last time can have changed. */
  readonly checked: ReadonlySet<string>;
  /** Keeps what is known now for another process. */
  readonly save: () => void;
}

/** `tsc`, which keeps what it has read and checked: the next time it looks only at what depends on a change. */
export class Compiler {
  readonly #config: string;
  readonly #buildInfo: string;
  readonly #files = new Map<string, ts.SourceFile>();
  #last: ts.EmitAndSemanticDiagnosticsBuilderProgram | undefined;

  constructor(config: string, buildInfo: string) {
    this.#config = config;
    this.#buildInfo = buildInfo;
  }

  compile(): Compilation {
    const fixed = { incremental: true, tsBuildInfoFile: this.#buildInfo };
    const { fileNames, options, errors } = ts.parseJsonConfigFileContent(
      ts.readConfigFile(this.#config, (path) => ts.sys.readFile(path)).config,
      ts.sys,
      ROOT,
      fixed,
      this.#config,
    );
    const host = ts.createIncrementalCompilerHost(options);
    const parse = host.getSourceFile.bind(host);
    host.getSourceFile = (name, ...how) => {
      const kept = this.#files.get(name);
      if (kept !== undefined && kept.text === ts.sys.readFile(name)) return kept;
      const file = parse(name, ...how);
      if (file !== undefined) this.#files.set(name, file);
      return file;
    };
    this.#last ??= ts.readBuilderProgram(options, host);
    const builder = ts.createEmitAndSemanticDiagnosticsBuilderProgram(fileNames, options, host, this.#last, errors);
    this.#last = builder;
    const checked = new Set<string>();
    for (let next; (next = builder.getSemanticDiagnosticsOfNextAffectedFile()) !== undefined;) {
      const files = 'fileName' in next.affected ? [next.affected] : next.affected.getSourceFiles();
      for (const { fileName } of files) checked.add(fileName);
    }
    const diagnostics = [
      ...builder.getConfigFileParsingDiagnostics(),
      ...builder.getOptionsDiagnostics(),
      ...builder.getGlobalDiagnostics(),
      ...builder.getSyntacticDiagnostics(),
      ...builder.getSemanticDiagnostics(),
    ];
    return {
      program: builder.getProgram(),
      errors: ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(diagnostics), FORMAT),
      checked,
      save: () => builder.emit(),
    };
  }
}
