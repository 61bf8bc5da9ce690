import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './service.ts';

/** Files, and all that they import, as the compiler reads them with the options of the project. */
export function programOf(files: readonly string[]): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    readonly config: { readonly compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const host = ts.createCompilerHost(options);
  // The comments are a third of what it would read.
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  return ts.createProgram(files, options, host);
}

/** The errors of the compiler in these files. `npm run check` compiles the sources that they import. */
export function faultsIn(program: ts.Program, files: readonly string[]): string[] {
  return files
    .flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
    .map(({ file, messageText }) => `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}
