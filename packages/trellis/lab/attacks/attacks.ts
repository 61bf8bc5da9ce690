import { runSuite } from '../../test/support/trials.ts';
import { ATTACKS } from './matrix.ts';

await runSuite(ATTACKS);
