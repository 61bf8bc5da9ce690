// Loaded before everything else, and by any Node: the sources are TypeScript, which a Node before 26 may stop at
// without a word about the reason. So this file is JavaScript that the oldest of them reads.
'use strict';
var found = process.versions.node;
if (Number(found.split('.')[0]) < 26) {
  console.error(
    'plant-store needs Node 26 and found ' +
      found +
      ': run `npm ci`, which brings it, and start with `npm start` or `npm run`.',
  );
  process.exit(1);
}

// Node keeps what it compiles for the next start, of this thread and of the worker, if it can write the folder: it then
// starts faster, and without the compiler of TypeScript, which takes 17 MB in each thread. Coverage is exact without.
if (process.env.NODE_V8_COVERAGE === undefined) {
  require('node:module').enableCompileCache(require('node:path').join(__dirname, '../node_modules/.cache/node'));
}
