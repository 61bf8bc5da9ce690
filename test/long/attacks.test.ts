import { ATTACKS, TRIED } from '../attacks/matrix.ts';
import { testShortRound } from '../support/short-round.ts';

testShortRound(ATTACKS, TRIED);
