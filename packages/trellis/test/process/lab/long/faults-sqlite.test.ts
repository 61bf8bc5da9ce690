import { FAULTS } from '../../../../lab/faults/scenarios.ts';
import { testShortRound } from '../../../support/short-round.ts';

testShortRound(
  FAULTS,
  FAULTS.trials.filter((trial) => FAULTS.laneOf(trial) === 'SQLite'),
);
