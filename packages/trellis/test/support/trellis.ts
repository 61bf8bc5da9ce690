import { jest } from '@jest/globals';
import { main } from '../../tools/main.ts';

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `trellis` in a folder, in this process: to start one takes longer than most of what it does. */
export async function trellis(folder: string, ...args: readonly string[]): Promise<Outcome> {
  const said = { stdout: '', stderr: '' };
  const before = process.cwd();
  const spies = [
    ...(['stdout', 'stderr'] as const).map((stream) =>
      jest.spyOn(process[stream], 'write').mockImplementation((text) => {
        said[stream] += String(text);
        return true;
      }),
    ),
    jest.spyOn(console, 'log').mockImplementation((text) => {
      said.stdout += `${String(text)}\n`;
    }),
    jest.spyOn(console, 'error').mockImplementation((text) => {
      said.stderr += `${String(text)}\n`;
    }),
  ];
  process.chdir(folder);
  try {
    return { code: await main(args), ...said };
  } finally {
    process.chdir(before);
    for (const spy of spies) spy.mockRestore();
  }
}
