import { run } from '#framework';
import { library } from './index.ts';

await run(library);
