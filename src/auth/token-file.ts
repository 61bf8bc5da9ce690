import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isToken } from './token.ts';

/** How often the file is read again, in milliseconds. */
const EVERY_MS = 1000;
/** Shorter tokens could be guessed. */
const MIN_CHARACTERS = 32;

/** A file with tokens that are valid without being in the store. */
export interface TokenFile {
  readonly path: string;
  readonly tokens: readonly string[];
}

/**
 * The tokens of the file, one a line.
 *
 * @throws Error if it has none, or anything that is not one
 */
export function tokensIn(text: string, path: string): readonly string[] {
  const tokens = text.trim().split(/\s*\n\s*/);
  if (tokens.every((each) => isToken(each) && each.length >= MIN_CHARACTERS)) return tokens;
  throw new Error(
    `must name a file that holds tokens of ${MIN_CHARACTERS} or more letters, digits and -._~+/, one a line (${path} does not)`,
  );
}

/**
 * Hands on the tokens of the file whenever it has others, until the signal aborts. The file is read, and not watched:
 * Kubernetes replaces folders and links above it. While it cannot be read, or has no tokens, the last ones are valid.
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
    await sleep(EVERY_MS, undefined, { ref: false, signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const file = await stat(path);
      // It gives its tokens once: to read it again may wait without end, as the end of the process would then.
      if (file.isFIFO() || file.isSocket() || file.isCharacterDevice()) return;
      const found = tokensIn(await readFile(path, 'utf8'), path);
      isBroken = false;
      if (found.join('\n') === known) continue;
      known = found.join('\n');
      onChange(found);
      logger.info({ tokens: found.length }, 'TOKEN_FILE has other tokens, which are valid from now on');
    } catch (error) {
      if (!isBroken) logger.error({ err: error }, 'TOKEN_FILE cannot be used: its last tokens stay');
      isBroken = true;
    }
  }
}
