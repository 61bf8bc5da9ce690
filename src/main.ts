import { run } from '#framework';
import { plants } from './plants/index.ts';

await run(plants);
