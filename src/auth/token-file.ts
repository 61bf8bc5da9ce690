import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isToken } from './token.ts';

const POLL_MS = 1000;
const MIN_CHARACTERS = 32;

export interface TokenFile {
  readonly path: string;
  readonly tokens: readonly string[];
}

/** Reads one token per line. @throws Error if there is none, or if a line is no token */
export function tokensIn(text: string, path: string): readonly string[] {
  const tokens = text.trim().split(/\s*\n\s*/);
  if (tokens.every((each) => isToken(each) && each.length >= MIN_CHARACTERS)) return tokens;
  throw new Error(
    `must name a file with one token per line, of ${MIN_CHARACTERS} or more letters, digits and -._~+/: check ${path}`,
  );
}

/**
 * Calls `onChange` when the tokens in the file change. Polls the file, as Kubernetes replaces the folders and links
 * above it, which a watcher would miss. While the file cannot be read or has no tokens, its last tokens stay valid.
 */
export async function followTokenFile(
  { path, tokens }: TokenFile,
  onChange: (tokens: readonly string[]) => void,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  let known = tokens.join('\n');
  let isBroken = false;
  for (;;) {
    await sleep(POLL_MS, undefined, { ref: false, signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const file = await stat(path);
      // A pipe provides its tokens once. A second read could block for ever, and keep the process from ending.
      if (file.isFIFO() || file.isSocket() || file.isCharacterDevice()) return;
      const found = tokensIn(await readFile(path, 'utf8'), path);
      isBroken = false;
      if (found.join('\n') === known) continue;
      known = found.join('\n');
      onChange(found);
      logger.info({ tokens: found.length }, 'TOKEN_FILE has changed: its new tokens replace the old');
    } catch (error) {
      if (!isBroken) logger.error({ err: error }, 'TOKEN_FILE cannot be used: its last tokens stay valid');
      isBroken = true;
    }
  }
}
