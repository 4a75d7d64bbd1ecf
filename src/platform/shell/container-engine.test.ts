import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCommandAnalyzer } from './command-effects.js';

/** The engine of the docker or podman command in a text. */
async function engineOf(command: string, { env = {}, settings }: { env?: Record<string, string>; settings?: string }) {
  const home = mkdtempSync(join(tmpdir(), 'engine-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  if (settings !== undefined) {
    mkdirSync(join(home, '.docker'));
    writeFileSync(join(home, '.docker/config.json'), settings);
  }
  const analyzer = createCommandAnalyzer({ path: '/usr/bin:/bin', env });
  const effects = await analyzer.effects(command, { cwd: home, home, workspace: [home] });
  const found = effects.find((effect) => effect.kind === 'command' && /^(docker|podman)/.test(effect.text));
  if (found?.kind !== 'command') throw new Error(`There is no container command in: ${command}`);
  return found.engine;
}

const inProd = '{"currentContext": "prod", "auths": {}}';
const host = { DOCKER_HOST: 'tcp://env:2375' };

test.each([
  ['docker rm x', {}, { context: 'default' }],
  ['docker rm x', { settings: inProd }, { context: 'prod' }],
  ['docker rm x', { settings: '{' }, undefined],
  ['docker rm x', { settings: inProd, env: host }, { host: 'tcp://env:2375' }],
  ['docker rm x', { settings: inProd, env: { DOCKER_CONTEXT: 'web' } }, { context: 'web' }],
  ['DOCKER_HOST=ssh://web docker rm x', { env: host }, { host: 'ssh://web' }],
  ['DOCKER_HOST= docker rm x', { env: host }, { context: 'default' }],
  ['DOCKER_HOST=$WHERE docker rm x', { env: host }, undefined],
  ['env DOCKER_HOST=ssh://web docker rm x', {}, { host: 'ssh://web' }],
  ["DOCKER_HOST=ssh://web sh -c 'docker rm x'", {}, { host: 'ssh://web' }],
  ['export DOCKER_HOST=ssh://web && docker rm x', { env: host }, undefined],
  ['. ./env.sh; docker rm x', { settings: inProd }, undefined],
  ['sudo docker rm x', { env: host }, undefined],
  ['podman rm x', { env: { ...host, CONTAINER_HOST: 'ssh://pod' } }, { host: 'ssh://pod' }],
  ['podman rm x', { settings: inProd }, undefined],
])('%s with %j reaches %j', async (command, place, engine) => {
  expect(await engineOf(command, place)).toEqual(engine);
});
