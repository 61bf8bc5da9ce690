import { runSuite } from '../support/trials.ts';
import { ATTACKS } from './matrix.ts';

await runSuite(ATTACKS);
