import { hash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// `npm run new -- examples/NAME`: begins a service, as a copy of examples/minimal with its own name and marker.

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const TEMPLATE = 'minimal';

/** @throws Error that says what to give */
function copyAs(folder: string): string {
  const [, name] = /^examples\/([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\/?$/.exec(folder) ?? [];
  if (name === undefined)
    throw new Error('name the folder of the service: npm run new -- examples/NAME, of small letters, digits and "-"');
  const [from, to] = [join(ROOT, 'examples', TEMPLATE), join(ROOT, 'examples', name)];
  if (existsSync(to)) throw new Error(`examples/${name} exists: choose another name`);
  cpSync(from, to, { recursive: true });
  const file = join(to, 'service/index.ts');
  const text = readFileSync(file, 'utf8')
    .replace(`name: '${TEMPLATE}'`, `name: '${name}'`)
    .replace(/marker: '.{4}'/, `marker: '${hash('sha256', name, 'base64url').slice(0, 4)}'`);
  writeFileSync(file, text);
  return name;
}

try {
  const name = copyAs(process.argv[2] ?? '');
  console.log(`examples/${name} has a service of notes. Make it yours:

1. Write its openapi.yaml, then run \`npm run generate\`.
2. Write its tables, steps and operations in service/: the compiler names what is missing.
3. Run it with \`scripts/node examples/${name}/main.ts serve\`, and test it with \`npm test -- examples/${name}\`.`);
} catch (error) {
  console.error(Error.isError(error) ? error.message : error);
  process.exitCode = 1;
}
