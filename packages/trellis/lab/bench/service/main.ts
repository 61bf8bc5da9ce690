import { run } from 'trellis';
import { bench } from './index.ts';

await run(bench);
