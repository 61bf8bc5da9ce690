import { exec } from 'node:child_process';
import packageJson from '../package.json' with { type: 'json' };

// Runs the scripts `check:…` of package.json, all at once, and prints the output of each that fails, of others the notes.

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stopped.abort();
  });
}

function run([name, command]: readonly [name: string, command: string]) {
  const { promise, resolve } = Promise.withResolvers<{ name: string; failed: boolean; output: string }>();
  exec(command, { signal: stopped.signal, maxBuffer: Infinity }, (error, stdout, stderr) => {
    resolve({ name, failed: error !== null, output: stdout + stderr });
  });
  return promise;
}

const steps = Object.entries(packageJson.scripts).filter(([name]) => name.startsWith('check:'));
for (const step of steps.map(run)) {
  const { name, failed, output } = await step;
  console.log(`${name.replace(':', ': ')}: ${failed ? 'FAILED' : 'passed'}`);
  if (!failed) {
    for (const [line] of output.matchAll(/^NOTE: .*$/gm)) console.log(line);
    continue;
  }
  process.stdout.write(output);
  process.exitCode = 1;
}
