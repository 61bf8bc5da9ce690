import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** Files come and go while others save. */
const MAY_BE_GONE = { throwIfNoEntry: false } as const;

type Versioned = ts.SourceFile & { version?: string | undefined };

const GENERATED = fileURLToPath(new URL('../generated/openapi.ts', import.meta.url));

const TESTS = fileURLToPath(new URL('../test/', import.meta.url));

/** Checks the types of the sources in the working folder again and again, each time what has changed alone. */
export class TypeCheck {
  private readonly host: ts.CompilerHost;
  private readonly files = new Map<string, Versioned>();
  private last: ts.SemanticDiagnosticsBuilderProgram | undefined;
  private generated: string | undefined;

  constructor() {
    this.host = ts.createIncrementalCompilerHost(readConfig().options);
    const readFile = this.host.readFile.bind(this.host);
    const getSourceFile = this.host.getSourceFile.bind(this.host);
    this.host.readFile = (name) => (name === GENERATED ? this.generated : undefined) ?? readFile(name);
    this.host.getSourceFile = (name, languageVersion) => {
      // Of other files the text is not read to tell whether they have changed.
      const version = name === GENERATED ? this.host.readFile(name) : statSync(name, MAY_BE_GONE)?.mtimeMs.toString();
      if (version === undefined) return undefined;
      const known = this.files.get(name);
      if (known?.version === version) return known;
      const file: Versioned | undefined = getSourceFile(name, languageVersion);
      if (file === undefined) return undefined;
      this.files.set(name, Object.assign(file, { version }));
      return file;
    };
  }

  /**
   * What tsc would say of the sources, for a terminal; empty if nothing is wrong.
   *
   * @param generated what is going to be in generated/openapi.ts; undefined: what is there
   */
  run(generated: string | undefined): string {
    this.generated = generated;
    const { fileNames, options, errors } = readConfig();
    // The tests are as many files again, and run by themselves.
    const sources = fileNames.filter((name) => !name.startsWith(TESTS));
    this.last = ts.createSemanticDiagnosticsBuilderProgram(sources, options, this.host, this.last, errors);
    const faults = [
      ...this.last.getConfigFileParsingDiagnostics(),
      ...this.last.getOptionsDiagnostics(),
      ...this.last.getGlobalDiagnostics(),
      ...this.last.getSyntacticDiagnostics(),
      ...this.last.getSemanticDiagnostics(),
    ];
    const format = process.stdout.isTTY ? ts.formatDiagnosticsWithColorAndContext : ts.formatDiagnostics;
    return format(faults, this.host);
  }
}

function readConfig(): ts.ParsedCommandLine {
  const onUnRecoverableConfigFileDiagnostic = ({ messageText }: ts.Diagnostic) => {
    throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
  };
  const config = ts.getParsedCommandLineOfConfigFile('tsconfig.json', undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic,
  });
  if (config === undefined) throw new Error('tsconfig.json cannot be read');
  return config;
}
