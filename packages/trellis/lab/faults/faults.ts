import { runSuite } from '../../test/support/trials.ts';
import { FAULTS } from './scenarios.ts';

await runSuite(FAULTS);
