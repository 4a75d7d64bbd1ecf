import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { emptyFolder, runHelve } from './run-helve.js';

test('a run without plugins, servers and a host loads for its first request what every run needs, and nothing else', async () => {
  const server = await startFakeModelServer([{ text: 'ok' }]);
  onTestFinished(() => server.close());
  const home = await emptyFolder();
  const env = { HELVE_HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'key' };
  expect(await runHelve(['-p', 'hi'], { env })).toMatchObject({ code: 0, stdout: 'ok\n' });

  // The loader remembers the parts that a run has loaded, in order. The input of tools is loaded when the request has left.
  const learned = join(home, 'cache', `${process.version}-${process.arch}`, 'learned.json');
  const [parts = ''] = Object.keys(JSON.parse(await readFile(learned, 'utf8')));
  const names = parts.split(' ').map((name) => name.replace(/(?:-[A-Z0-9]{8})?-[0-9a-f]{8}$/, ''));
  expect(names.slice(0, names.indexOf('cli-input'))).toEqual([
    'cli',
    'cli-base',
    'cli-headless',
    'cli-start',
    'cli-ground',
    'cli-anthropic',
    'cli-session-store',
    'cli-store',
  ]);
});
