import { run } from '#framework';
import { bench } from './index.ts';

await run(bench);
