// Sign-ins in a network whose traffic goes through a proxy and is signed with a certificate of its own.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { emptyFolder, type HelveRun, runHelve } from '../cli/run-helve.js';
import { authServer } from './auth-server.js';

async function certificate(): Promise<{ key: string; cert: string; path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'helve-ca-'));
  const [key, path] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=corporate', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  await promisify(execFile)('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', path]);
  return { key: await readFile(key, 'utf8'), cert: await readFile(path, 'utf8'), path };
}

test('signs in through a proxy, with a certificate of the network', async () => {
  const { key, cert, path } = await certificate();
  const listen = async (listener: RequestListener): Promise<string> => {
    const server = createHttpsServer({ key, cert }, listener);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  };
  const server = await authServer({ listen });
  const targets = new Set<string>();
  const proxy = createHttpServer().on('connect', (request, socket) => {
    targets.add(request.url ?? '');
    const { hostname, port } = new URL(`http://${request.url}`);
    const target = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    for (const one of [target, socket]) one.on('error', () => {});
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });

  const home = await emptyFolder();
  await mkdir(join(home, '.helve'));
  const settings = { mcpServers: { tracker: { type: 'http', url: server.url } } };
  await writeFile(join(home, '.helve', 'settings.json'), JSON.stringify(settings));
  const login = async (env: Record<string, string>): Promise<HelveRun> =>
    await runHelve(['mcp', 'login', 'tracker'], {
      cwd: home,
      env: {
        HOME: home,
        BROWSER: `${process.execPath} ${resolve('test/fixtures/mcp/browser.mjs')}`,
        NODE_USE_ENV_PROXY: '1',
        HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, // it listens on a port
        ...env,
      },
    });

  const without = await login({});
  expect(without.code).toBe(1);
  expect(without.stderr.replaceAll(/\s+/g, ' ')).toContain(
    'its certificate is not trusted here, set NODE_EXTRA_CA_CERTS if it should be',
  );
  expect(server.requests).toEqual([]);

  const withCertificate = await login({ NODE_EXTRA_CA_CERTS: path });
  expect(withCertificate).toMatchObject({ code: 0, stdout: expect.stringContaining('Signed in to tracker.') });
  expect([...targets]).toEqual([new URL(server.url).host]);
}, 60_000);
