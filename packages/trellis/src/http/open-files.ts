import { readFileSync } from 'node:fs';
import { WrongSettings } from '../exit-codes.ts';
import { MAX } from './bounds.ts';

/** The most that the process has open beside connections of clients: those of the admin listener, the store, files. */
const OTHERS = MAX.adminConnections + 128;
const FEWEST = 64;

/**
 * The number of connections that the system allows. Without a free descriptor, libuv closes each new connection, and Node
 * reports no error.
 *
 * @param limits the text of Linux's /proc/self/limits, after Node has raised its limit as far as it may
 * @returns with `openFiles`, the limit of the system, if that is what bounds the connections
 * @throws WrongSettings
 */
export function connectionsAllowed(limits = limitsOfSystem()): { connections: number; openFiles?: number } {
  const [, text] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  const openFiles = Number(text ?? Infinity);
  const connections = Math.min(MAX.connections, openFiles - OTHERS);
  if (connections < FEWEST)
    throw new WrongSettings(
      `the process may open only ${openFiles} files, but needs ${OTHERS + FEWEST}: raise LimitNOFILE= of systemd, or \`ulimit -n\``,
    );
  return { connections, ...(connections < MAX.connections && { openFiles }) };
}

function limitsOfSystem(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Only Linux has this file.
    return '';
  }
}
