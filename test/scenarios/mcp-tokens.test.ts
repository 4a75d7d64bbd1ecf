import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { SignIns } from '../../src/mcp/auth/sign-ins.js';
import { McpClient } from '../../src/mcp/client/client.js';
import { serverEras } from '../../src/settings/server-eras.js';
import { toolPins } from '../../src/settings/tool-pins.js';
import { emptyFolder } from '../cli/run-helve.js';
import { type AuthServer, authServer, json } from './auth-server.js';

interface SignedIn {
  server: AuthServer;
  dataFolder: string;
  /** Changes what is stored. */
  edit(change: (credential: { tokens: Record<string, unknown> }) => void): Promise<void>;
  stored(): Promise<{ tokens?: Record<string, unknown>; client: Record<string, unknown> }>;
  connect(): Promise<McpClient>;
  /** Signs in; the browser agrees to everything. */
  signIn(): Promise<void>;
}

/** A user who has signed in to `tracker`. */
async function signedIn(): Promise<SignedIn> {
  const server = await authServer();
  const dataFolder = await emptyFolder();
  const path = async (): Promise<string> => {
    const folder = join(dataFolder, 'mcp-tokens');
    const name = (await readdir(folder)).find((one) => one.endsWith('.json'));
    return join(folder, name ?? 'none');
  };
  const stored = async () => JSON.parse(await readFile(await path(), 'utf8'));
  const signIn = async (): Promise<void> => {
    const signIns = new SignIns({ env: {}, dataFolder, askUser: undefined, onNotice: () => {} });
    signIns.of('tracker', { type: 'http', url: server.url, headers: {}, alwaysLoad: false });
    const onAddress = (address: string): void => void fetch(address);
    await signIns.signIn('tracker', { opensBrowser: false, signal: new AbortController().signal, onAddress });
  };
  await signIn();
  return {
    server,
    dataFolder,
    stored,
    signIn,
    async edit(change) {
      const credential = await stored();
      change(credential);
      await writeFile(await path(), JSON.stringify(credential));
    },
    async connect() {
      const client = new McpClient({
        root: dataFolder,
        env: {},
        dataFolder,
        roots: () => [],
        pins: toolPins(dataFolder),
        eras: async () => serverEras(dataFolder),
        whileRunning: () => () => {},
        onChange: () => {},
        onNotice: () => {},
        retryMs: 1,
      });
      client.configure([{ name: 'tracker', entry: { type: 'http', url: server.url }, source: 'user' }]);
      onTestFinished(async () => await client.close());
      await client.settled();
      return client;
    },
  };
}

/** Calls the tool by reading a resource-free path of the connection: what a call of the model does. */
const stateOf = (client: McpClient) => client.states().map(({ status, detail }) => ({ status, detail }));

const expiries = [
  { title: 'when the server refuses the token', expire: async ({ server }: SignedIn) => server.expireAll() },
  {
    title: 'when the token is known to have expired',
    expire: async ({ server, edit }: SignedIn) => {
      server.expireAll();
      await edit(({ tokens }) => Object.assign(tokens, { expiresAt: 1, renewAt: 1 }));
    },
  },
];

test.each(expiries)('two processes with 50 calls each renew a token once, $title', async ({ expire }) => {
  const here = await signedIn();
  const { server, dataFolder } = here;
  const program = resolve('test/fixtures/mcp/parallel-calls.mjs');
  const processes = [1, 2].map(() =>
    spawn(process.execPath, [program, server.url, dataFolder], { cwd: dataFolder, stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const outputs = processes.map(({ stdout }) => {
    let text = '';
    stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    return () => text;
  });
  await Promise.all(processes.map(({ stdout }) => once(stdout, 'data')));
  expect(outputs.map((output) => output())).toEqual(['ready: connected\n', 'ready: connected\n']);
  await expire(here);
  const before = server.at('/token').length;
  for (const { stdin } of processes) stdin.write('go\n');
  await Promise.all(processes.map((child) => once(child, 'close')));
  for (const output of outputs) expect(stripVTControlCharacters(output())).toContain('calls: 50, failed: 0');
  const requests = server.at('/token').slice(before);
  expect(requests.map(({ form }) => form.get('grant_type'))).toEqual(['refresh_token']);
});

test('a refresh token that was revoked needs a new sign-in, and is not kept', async () => {
  const { server, connect, stored, signIn } = await signedIn();
  const { client } = await stored();
  server.revokeAll();
  const connection = await connect();
  expect(stateOf(connection)).toEqual([
    {
      status: 'needs-auth',
      detail: expect.stringMatching(
        /needs a sign-in\. The token endpoint at .* refused the request \(invalid_grant\)\. To sign in: helve mcp login tracker/,
      ),
    },
  ]);
  expect(await stored()).toMatchObject({ client });
  expect((await stored()).tokens).toBeUndefined();

  // In another process, somebody signs in. The running session notices that.
  await signIn();
  connection.reconnectSignedIn();
  await expect.poll(() => stateOf(connection)).toEqual([{ status: 'connected', detail: undefined }]);
});

const transientAnswers: ReadonlyArray<[string, (server: AuthServer) => void]> = [
  ['HTTP 503', ({ answers }) => answers.set('/token', (_, response) => response.writeHead(503).end('busy'))],
  ['no JSON', ({ answers }) => answers.set('/token', (_, response) => response.writeHead(200).end('<html>'))],
  [
    'temporarily_unavailable',
    ({ answers }) => answers.set('/token', (_, response) => json(response, 400, { error: 'temporarily_unavailable' })),
  ],
  ['a closed connection', ({ answers }) => answers.set('/token', (_, response) => response.destroy())],
];

test.each(transientAnswers)('a token endpoint that answers with %s does not end the sign-in', async (_, spoil) => {
  const { server, connect, stored } = await signedIn();
  const before = await stored();
  server.expireAll();
  spoil(server);
  const connection = await connect();
  expect(stateOf(connection)).toMatchObject([{ status: 'failed', detail: expect.stringContaining('token endpoint') }]);
  expect(await stored()).toEqual(before);
  server.answers.delete('/token');
  await connection.reconnect('tracker');
  expect(stateOf(connection)).toMatchObject([{ status: 'connected' }]);
});

test('a token is not renewed at an authorization server that the server changed to', async () => {
  const { server, connect, stored } = await signedIn();
  const before = await stored();
  const other = await authServer();
  server.resource['authorization_servers'] = [other.origin];
  server.expireAll();
  expect(stateOf(await connect())).toMatchObject([
    {
      status: 'needs-auth',
      detail: expect.stringContaining(`It now uses another authorization server, ${other.origin}`),
    },
  ]);
  expect(other.at('/token')).toEqual([]);
  expect(await stored()).toEqual(before);
});

test('a server that needs a sign-in does not keep others waiting', async () => {
  const { server, dataFolder } = await signedIn();
  const closed = await authServer();
  const client = new McpClient({
    root: dataFolder,
    env: {},
    dataFolder,
    roots: () => [],
    pins: toolPins(dataFolder),
    eras: async () => serverEras(dataFolder),
    whileRunning: () => () => {},
    onChange: () => {},
    onNotice: () => {},
  });
  onTestFinished(async () => await client.close());
  client.configure([
    { name: 'closed', entry: { type: 'http', url: closed.url }, source: 'user' },
    { name: 'tracker', entry: { type: 'http', url: server.url }, source: 'user' },
  ]);
  await client.settled();
  expect(client.states().map(({ name, status }) => [name, status])).toEqual([
    ['closed', 'needs-auth'],
    ['tracker', 'connected'],
  ]);
  expect(closed.requests.map(({ path }) => path)).toEqual(['/mcp']);
});

/** A sign-in whose browser is on another machine. */
async function remoteSignIn() {
  const server = await authServer();
  const signIns = new SignIns({ env: {}, dataFolder: await emptyFolder(), askUser: undefined, onNotice: () => {} });
  signIns.of('tracker', { type: 'http', url: server.url, headers: {}, alwaysLoad: false });
  const cancel = new AbortController();
  const shown = Promise.withResolvers<string>();
  const outcome = signIns
    .signIn('tracker', { opensBrowser: false, signal: cancel.signal, onAddress: (address) => shown.resolve(address) })
    .then(
      () => 'signed in',
      (error: unknown) => String(error),
    );
  const response = await fetch(await shown.promise, { redirect: 'manual' });
  return { server, signIns, cancel, outcome, ended: new URL(response.headers.get('location') ?? '') };
}

test('takes the pasted address at which a browser on another machine ended, once', async () => {
  const { server, signIns, outcome, ended } = await remoteSignIn();
  signIns.paste('tracker', `  ${ended.href}\n`);
  expect(await outcome).toBe('signed in');
  expect(server.at('/token').length).toBe(1);
  expect(() => signIns.paste('tracker', ended.href)).toThrow('No sign-in to tracker is waiting');
});

test('refuses a pasted address of another sign-in, and goes on waiting', async () => {
  const { server, signIns, outcome, ended } = await remoteSignIn();
  const foreign = new URL(ended);
  foreign.searchParams.set('state', 'of-somebody-else');
  expect(() => signIns.paste('tracker', foreign.href)).toThrow('belongs to another sign-in: its state is not the one');
  expect(server.at('/token')).toEqual([]);
  signIns.paste('tracker', ended.href);
  expect(await outcome).toBe('signed in');
});

test('refuses a code alone where the server promised to name its issuer', async () => {
  const { server, signIns, outcome, ended } = await remoteSignIn();
  signIns.paste('tracker', ended.searchParams.get('code') ?? '');
  expect(await outcome).toContain('names no issuer, though it promised to');
  expect(server.at('/token')).toEqual([]);
});

test('a page with a wrong state is told so, and the browser may still come', async () => {
  const { server, outcome, ended } = await remoteSignIn();
  const foreign = new URL(ended);
  foreign.searchParams.set('state', 'guessed');
  expect((await fetch(foreign)).status).toBe(400);
  expect((await fetch(new URL('/other', ended))).status).toBe(404);
  const page = await fetch(ended);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('You can close this page')]);
  expect(await outcome).toBe('signed in');
  expect(server.at('/token').length).toBe(1);
  await expect(fetch(ended)).rejects.toThrow(); // nothing listens any more
});

test('a sign-in that waits can be cancelled, and leaves nothing behind', async () => {
  const { server, cancel, outcome, ended } = await remoteSignIn();
  cancel.abort(new Error('Stopped by the user.'));
  expect(await outcome).toContain('Stopped by the user.');
  expect(server.at('/token')).toEqual([]);
  await expect(fetch(ended)).rejects.toThrow();
});
