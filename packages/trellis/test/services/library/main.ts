import { run } from 'trellis';
import { library } from './index.ts';

await run(library);
