import { run } from 'trellis';
import { plants } from './index.ts';

await run(plants);
