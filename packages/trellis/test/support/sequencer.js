import Sequencer from '@jest/test-sequencer';

/** What takes longest, in this order: one that began last would end long after the others. */
const LONGEST = [
  ...['shipping/systemd', 'lab/long/faults', 'shipping/containers', 'long/tarball', 'lab/long/attacks', '/long/page'],
  ...['long/recovery', 'shipping/nginx', 'long/docs', 'long/dev', 'long/scaling', 'long/compatibility'],
  ...['long/lint-contract', 'long/many-members', 'postgres/citus'],
];

/** What lasts long because it waits, the longest first. */
const WAITING = [
  ...['postgres/faults', 'postgres/readiness', 'postgres/tls', 'process/shutdown', 'postgres/standby'],
  ...['observability/failures', 'postgres/engine', 'testing/testing', 'postgres/postgres.test', 'commands/backup.'],
  ...[
    'engine/http/server',
    'auth/token-file',
    'auth/issuer-keys',
    'files/tables',
    'security/security',
    'postgres/lost',
  ],
  ...['postgres/commands/import', 'storage/keys', 'commands/import-beside'],
];
/** So many others begin after each that waits: neither the processors nor the workers are ever idle. */
const BETWEEN = 4;

/** Jest starts large files first while it does not know their times, but a small one may take a minute. */
export default class extends Sequencer {
  sort(tests) {
    const listed = (list) => {
      const rank = ({ path }) => list.findIndex((part) => path.includes(part));
      return tests.filter((each) => rank(each) !== -1).toSorted((one, other) => rank(one) - rank(other));
    };
    const first = listed(LONGEST);
    const waiting = listed(WAITING).filter((each) => !first.includes(each));
    const others = super.sort(tests.filter((each) => !first.includes(each) && !waiting.includes(each)));
    const mixed = waiting.flatMap((each, index) => [each, ...others.slice(index * BETWEEN, (index + 1) * BETWEEN)]);
    return [...first, ...mixed, ...others.slice(waiting.length * BETWEEN)];
  }
}
