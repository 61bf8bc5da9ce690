import { expect, test } from '@jest/globals';
import { ROOT, start } from '../support/service.ts';

test('a service that imports trellis loads no package', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        loaded.push(found.url);
        return found;
      },
    });
    await import('trellis');
    console.log(loaded.some((url) => url.endsWith('/packages/trellis/src/index.ts')));
    for (const url of loaded) if (url.includes('/node_modules/')) console.log(url);`;
  const { ended, stdout } = start(process.execPath, ['--input-type=module', '-e', script], {}, ROOT);
  expect([await ended, stdout()]).toEqual([0, 'true\n']);
});

test('what serves loads neither the fetch of Node nor TLS before they are needed', async () => {
  const script = `
    await import(${JSON.stringify(new URL('../../src/commands/serve.ts', import.meta.url).href)});
    console.log(process.moduleLoadList.filter((each) => /NativeModule (http|tls|internal\\/deps\\/undici\\/undici)$/.test(each)));`;
  const { ended, stdout } = start(process.execPath, ['--input-type=module', '-e', script], {}, ROOT);
  expect([await ended, stdout()]).toEqual([0, "[ 'NativeModule http' ]\n"]);
});
