import { examine, settingsOf, textIn } from '../config.ts';
import type { Found } from '../environment.ts';
import { WrongSettings } from '../exit-codes.ts';
import type { AnyService } from '../service.ts';
import type { Io } from '../terminal/io.ts';
import { printList } from '../terminal/print-list.ts';

/** Prints every setting with its value and origin. @throws WrongSettings that names every fault */
export async function showConfig(service: AnyService, io: Io, found: Found, { json }: { json?: true }): Promise<void> {
  const rows = Object.entries(settingsOf(service)).map(([name, setting]) => {
    const text = textIn(found.texts, name);
    const origin = found.origins[name];
    const value = shown(setting, text ?? setting.default);
    if (text !== undefined) return { name, value, from: origin };
    const from = setting.default === undefined ? 'none' : 'default';
    return { name, value, from: origin === undefined ? from : `${from} (empty in ${origin})` };
  });
  await printList(io, rows, { name: '', value: '-', from: '' }, json);
  const faults = [...examine(service, found.texts).faults, ...found.faults, ...found.doubts];
  if (faults.length > 0) throw new WrongSettings(faults.join('; '));
}

function shown(
  { read, secret, show = (text) => (secret ? '(secret)' : text) }: ReturnType<typeof settingsOf>[string],
  text: string | undefined,
): string | undefined {
  if (text === undefined) return undefined;
  try {
    read(text);
    return show(text);
  } catch {
    // The message below quotes the value, unless the value may contain a secret.
    return '(invalid)';
  }
}
