// Runs first, on any Node: an older Node may fail on TypeScript without naming the reason. So this file is written in
// old JavaScript.
'use strict';
var found = process.versions.node;
if (Number(found.split('.')[0]) < 26) {
  console.error(
    'Node 26 is needed, and this is Node ' +
      found +
      ': run `npm ci`, which installs it, and start with `npm start` or `npm run`.',
  );
  process.exit(1);
}

// If Node can write this cache, the next start is faster and needs no TypeScript compiler, which takes 17 MB per thread.
// Coverage is exact only without the cache.
if (process.env.NODE_V8_COVERAGE === undefined) {
  require('node:module').enableCompileCache(require('node:path').join(__dirname, '../node_modules/.cache/node'));
}
