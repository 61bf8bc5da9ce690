import { ATTACKS, TRIED } from '../../../../lab/attacks/matrix.ts';
import { testShortRound } from '../../../support/short-round.ts';

testShortRound(ATTACKS, TRIED);
