import { join } from 'node:path';

// Jest itself would say `Must use import to load ES Module`.
if (Number(process.versions.node.split('.')[0]) < 26) {
  console.error('Jest needs Node 26: run `npm test -- FILE`, which finds it');
  process.exit(1);
}

// `npm test` runs the tests that are in no such folder: `prose` is part of `npm run check`, `long` is for each commit too,
// `nightly` for what seldom breaks.
const folder = process.env.TESTS;

// For the workers, and the threads of the services in them: without it, each thread strips the types of its modules anew.
// It makes coverage inexact.
if (process.env.NODE_V8_COVERAGE === undefined && process.env.TESTS_MEASURED === undefined)
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node');

export default {
  testMatch: [`<rootDir>/{test,examples,packages/*/test}/**/${folder ? `${folder}/**/` : ''}*.test.ts`],
  testPathIgnorePatterns: folder ? [] : ['/long/', '/nightly/', '/prose/'],
  // Folders that tests make and remove while Jest, perhaps another one, looks for its files.
  modulePathIgnorePatterns: ['.cache/', 'data/'].map((each) => RegExp.escape(join(import.meta.dirname, each))),
  testEnvironment: '<rootDir>/packages/trellis/test/support/environment.ts',
  // Node itself loads what is tested: what runs in tests is what runs in the service.
  transform: {},
  runtime: '<rootDir>/packages/trellis/test/support/runtime.ts',
  testSequencer: '<rootDir>/packages/trellis/test/support/sequencer.js',
  globalSetup: '<rootDir>/packages/trellis/test/support/set-up.ts',
  // Most tests wait for something most of the time. Those in the folders take processor time, and have limits of time.
  maxWorkers: folder ? 4 : 6,
  // Of one file, the tests that only wait.
  maxConcurrency: 10,
  // Tests start processes and wait for disks, on machines that have other things to do.
  testTimeout: 600_000,
  // Jest would end a worker after half a second: too short on a busy machine, for what NODE_COMPILE_CACHE and
  // NODE_V8_COVERAGE write at the end.
  workerGracefulExitTimeout: 60_000,
};
