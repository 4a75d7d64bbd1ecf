import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { emptyFolder } from '../cli/run-helve.js';
import { withoutPostgres } from './run-postgres.js';

/** The demo with a few sessions, and what it leaves in the temporary folder. */
async function startDemo() {
  const temporary = await emptyFolder();
  const env = { ...process.env, TMPDIR: temporary, SESSIONS: '3' };
  const child = spawn(process.execPath, [resolve('scripts/fleet-demo.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGTERM'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return { child, ended, said: () => said, left: () => readdirSync(temporary) };
}

const skip = test.skipIf(withoutPostgres !== undefined);

skip('the demo of the fleet completes its sessions although a worker is killed, and leaves nothing', {
  timeout: 180_000,
}, async () => {
  const demo = await startDemo();
  expect([await demo.ended, demo.said()]).toEqual([0, expect.stringContaining('3 of 3 prompts are completed')]);
  expect(demo.said()).toMatch(/Watch it in a browser: http:\/\/127\.0\.0\.1:\d+\/#code=[A-Z0-9]{4}-[A-Z0-9]{4}\n/);
  expect(demo.said()).toMatch(/12 commands ran, and none of them twice/);
  expect(demo.left()).toEqual([]);
});

skip('an interrupt ends the demo of the fleet and leaves nothing', { timeout: 60_000 }, async () => {
  const demo = await startDemo();
  await vi.waitUntil(() => demo.said().includes('Watch it in a browser'), { timeout: 30_000 });
  demo.child.kill('SIGINT');
  expect(await demo.ended).toBe(130);
  expect(demo.left()).toEqual([]);
});
