import { dirname, resolve } from 'node:path';
import ts from 'typescript';

/** An incremental `tsc`: each compilation checks only the files that a change may affect. */
export class Compiler {
  readonly #config: string;
  readonly #buildInfo: string;
  readonly #format: ts.FormatDiagnosticsHost;
  readonly #files = new Map<string, ts.SourceFile>();
  #last: ts.EmitAndSemanticDiagnosticsBuilderProgram | undefined;

  constructor(config: string, buildInfo: string) {
    this.#config = resolve(config);
    this.#buildInfo = resolve(buildInfo);
    this.#format = {
      getCurrentDirectory: () => dirname(this.#config),
      getCanonicalFileName: (name) => name,
      getNewLine: () => '\n',
    };
  }

  /** `errors` is the output of `tsc`, or '' if there are none. */
  compile(): { readonly builder: ts.BuilderProgram; readonly errors: string } {
    const fixed = { incremental: true, tsBuildInfoFile: this.#buildInfo };
    const { fileNames, options, errors } = ts.parseJsonConfigFileContent(
      ts.readConfigFile(this.#config, (path) => ts.sys.readFile(path)).config,
      ts.sys,
      dirname(this.#config),
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
    const diagnostics = [
      ...builder.getConfigFileParsingDiagnostics(),
      ...builder.getOptionsDiagnostics(),
      ...builder.getGlobalDiagnostics(),
      ...builder.getSyntacticDiagnostics(),
      ...builder.getSemanticDiagnostics(),
    ];
    // Writes only the build info for the next process, because of `noEmit` in tsconfig.json.
    builder.emit();
    return { builder, errors: ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(diagnostics), this.#format) };
  }
}
