import Sequencer from '@jest/test-sequencer';

/** Jest starts large files first while it does not know their times. Those in process/lab/long are small, and take minutes. */
export default class extends Sequencer {
  sort(tests) {
    const takesMinutes = ({ path }) => path.includes('/lab/long/');
    const others = [...tests].filter((each) => !takesMinutes(each));
    return [...[...tests].filter(takesMinutes), ...super.sort(others)];
  }
}
