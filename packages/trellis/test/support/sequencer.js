import Sequencer from '@jest/test-sequencer';

/** What takes longest, in this order: one that began last would end long after the others. */
const LONGEST = [
  ...['shipping/systemd', 'lab/long/faults', 'shipping/containers', 'long/tarball', 'lab/long/attacks', '/long/page'],
  ...['long/recovery', 'shipping/nginx', 'long/docs', 'long/dev', 'long/scaling', 'long/compatibility'],
  ...['long/lint-contract', 'long/many-members'],
  ...['postgres/citus', 'postgres/faults', 'postgres/standby', 'postgres/lost', 'postgres/engine', 'http/server'],
  ...['postgres/readiness', 'testing/testing', 'postgres/tls', 'bank/test/contract', 'process/shutdown'],
  ...['postgres/postgres.test', 'browser/schemes', 'postgres/observability', 'contract/contract', 'bank/test/notices'],
  ...['storage/keys', 'auth/token-file', 'testing/derive', 'unit/json-schema'],
];

/** Jest starts large files first while it does not know their times, but a small one may take a minute. */
export default class extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => LONGEST.findIndex((part) => path.includes(part));
    const [first, others] = [tests.filter((each) => rank(each) !== -1), tests.filter((each) => rank(each) === -1)];
    return [...first.toSorted((one, other) => rank(one) - rank(other)), ...super.sort(others)];
  }
}
