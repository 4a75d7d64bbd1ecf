import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { proxyVariables, throughProxy } from './proxy-forwarder.js';

const nothing = { cwd: '/', env: {}, freeDescriptor: 3 };

test('without a list of hosts a command is unchanged, and no proxy variable is set', () => {
  const command = { ...nothing, program: 'bash', args: ['-c', 'true'] };
  for (const network of ['off', 'on'] as const) {
    expect(throughProxy(command, network)).toEqual(['bash', '-c', 'true']);
    expect(proxyVariables(network)).toEqual([]);
  }
});

// The port is free in every sandbox; here it is this machine's, so both take their turn in this one file.
test.skipIf(process.platform !== 'linux').each([
  ['perl', '/usr/bin/perl'],
  ['node', '/nonexistent'],
])('the forwarder in %s passes on all bytes in both directions', async (name, perl) => {
  if (name === 'perl' && !existsSync(perl)) return;
  const folder = await mkdtemp(join(tmpdir(), 'helve-door-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const place = join(folder, 'socket');
  const echo = createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket)).listen(place);
  await once(echo, 'listening');
  onTestFinished(() => void echo.close());

  const client = `let n = 0; require('net').connect(new URL(process.env.HTTP_PROXY).port, '127.0.0.1').on('data', (d) => { n += d.length }).on('close', () => console.log(n)).end('x'.repeat(1_000_000))`;
  const network = { address: place, direct: [] };
  const command = { ...nothing, program: process.execPath, args: ['-e', client] };
  const [program = '', ...args] = throughProxy(command, network, { perl });
  const env = { PATH: process.env['PATH'], ...Object.fromEntries(proxyVariables(network)) };
  const child = spawn(program, args, { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const { pid } = child;
  // In a sandbox it ends with the command; here the test has to end it.
  onTestFinished(() => void (pid !== undefined && process.kill(-pid, 'SIGKILL')));
  expect(await text(child.stdout)).toBe('1000000\n');
});
