import { chmodSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeCertificate } from '../../support/certificate.ts';
import { accepting, startNginx, whyNoNginx } from '../../support/nginx.ts';
import { freePort } from '../../support/port.ts';
import { Project } from '../../support/project.ts';
import { blocks } from '../../support/readme.ts';
import { createPlant, type Service, start, startService } from '../../support/service.ts';
import { describeWith } from '../../support/skipping.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describeWith(whyNoNginx(), 'nginx.conf', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  const addresses = () => ({
    '127.0.0.1:3001': new URL(service.url).host,
    '127.0.0.1:3002': new URL(service.url).host,
  });

  test('is started by the lines of the README', async () => {
    const project = new Project();
    const port = await freePort();
    project.edit('deploy/nginx.conf', 'listen 8080', `listen 127.0.0.1:${port}`);
    for (const [from, to] of Object.entries(addresses())) project.edit('deploy/upstreams.conf', from, to);
    const [lines = ''] = blocks('Behind a proxy', 'sh');
    // As many files as most systems allow a process to begin with.
    const script = `ulimit -Sn 1024\n${lines.replace(/^nginx/m, 'exec nginx')}`;
    const nginx = start('bash', ['--norc', '-ec', script], {}, project.folder);
    await accepting(port, nginx);
    const proxied = { url: `http://127.0.0.1:${port}`, token: service.token };
    expect((await createPlant(proxied, '{"id":1,"name":"Ginkgo"}')).status).toBe(200);
    nginx.child.kill('SIGQUIT');
    expect({ code: await nginx.ended, stderr: nginx.stderr() }).toEqual({ code: 0, stderr: '' });
  });

  test('has TLS, once the lines for it count', async () => {
    const authority = makeCertificate('authority');
    const { cert, key } = makeCertificate('localhost', ['localhost'], authority);
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'cert.pem'), cert);
    writeFileSync(join(folder, 'key.pem'), key);
    const port = await freePort();
    const proxy = await startNginx({
      upstreams: 'upstreams.conf',
      addresses: addresses(),
      edits: {
        '# listen 8443': `listen 127.0.0.1:${port}`,
        '# ssl_certificate ': 'ssl_certificate ',
        '# ssl_certificate_key ': 'ssl_certificate_key ',
        '/etc/nginx/tls': folder,
      },
    });
    const status = await new Promise((resolve, reject) => {
      const options = { port, ca: authority.cert, headers: { Connection: 'close' } };
      request('https://localhost/docs/', options, ({ statusCode }) => {
        resolve(statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
    await proxy.stop();
  });
});
