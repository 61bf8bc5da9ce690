import { main } from '../packages/trellis/tools/main.ts';

// `npm run generate` writes what is generated in this repository. With --check, it compares the files with what it would write.

const SERVICES = [
  '.',
  'examples/bank',
  'packages/trellis/template',
  'packages/trellis/lab/bench/service',
  'packages/trellis/test/services/bookings',
  'packages/trellis/test/services/events',
  'packages/trellis/test/services/items',
  'packages/trellis/test/services/papers',
];

// This takes --check from the command line too.
await import('../packages/contract/vocabulary-page.ts');
process.exitCode ??= await main(['generate', ...process.argv.slice(2), ...SERVICES]);
