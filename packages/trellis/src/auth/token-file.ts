import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
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
 *
 * @param state for the metrics
 */
export async function followTokenFile(
  { path, tokens }: TokenFile,
  onChange: (tokens: readonly string[]) => void,
  logger: Logger,
  signal: AbortSignal,
  state = { isUsable: true },
): Promise<void> {
  let known = tokens.join('\n');
  let isOpenToAll = false;
  for (;;) {
    await sleep(POLL_MS, undefined, { ref: false, signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const { text, mode } = await readRegular(path);
      const found = tokensIn(text, path);
      state.isUsable = true;
      // Only a warning: some mounts, as those of Windows folders, give this mode to every file.
      const canAllWrite = (mode & 0o002) !== 0;
      if (canAllWrite && !isOpenToAll) logger.warn({ path }, 'every user may write TOKEN_FILE: run chmod o-w on it');
      isOpenToAll = canAllWrite;
      if (found.join('\n') === known) continue;
      known = found.join('\n');
      onChange(found);
      logger.info({ tokens: found.length }, 'TOKEN_FILE has changed: its new tokens replace the old');
    } catch (error) {
      if (state.isUsable) logger.error({ err: error }, 'TOKEN_FILE cannot be used: its last tokens stay valid');
      state.isUsable = false;
    }
  }
}

async function readRegular(path: string): Promise<{ readonly text: string; readonly mode: number }> {
  // Without O_NONBLOCK, opening a pipe waits for its writer, and a thread that waits keeps the process from ending.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = await file.stat();
  if (!found.isFile()) throw new Error(`${path} is no regular file: only a start can read it, and only once`);
  return { text: await file.readFile('utf8'), mode: found.mode };
}
