// The web view in a real Chromium, on a server that shows the sessions of a fleet.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FakeAnswer } from '../../src/testing/fake-model-server.js';
import { servePlace, startServe } from '../cli/serve-client.js';
import { TestPostgres, withoutPostgres } from '../fleet/run-postgres.js';
import { type FleetPlace, helveFleet, startWorker } from '../fleet/run-worker.js';
import { bash, hasChromium, openSignedIn, pressAllow, question } from './visit.js';

const isSkipped = withoutPostgres !== undefined || !hasChromium;

test.skipIf(isSkipped)(
  'a session of a fleet streams, and ends in the same page although its worker was killed while it asked',
  {
    timeout: 120_000,
  },
  async () => {
    const postgres = await TestPostgres.start();
    onTestFinished(async () => await postgres.remove());
    const more = Promise.withResolvers<void>();
    const answers: FakeAnswer[] = [
      {
        text: 'I make the **file** now.',
        holdAfter: { events: 5, until: more.promise },
        calls: [bash('echo made >> made.txt')],
      },
      { text: 'It is made.' },
    ];
    const serve = await servePlace(() => answers.shift() ?? { text: 'The test has no more answers.' });
    const at: FleetPlace = { url: postgres.url, model: serve.model.url, root: serve.cwd };
    const worker = async () => {
      const started = await startWorker(at);
      onTestFinished(() => void started.process.kill('SIGKILL'));
      return started;
    };
    const [{ url }, token, first] = [
      await startServe(serve, ['--database', postgres.url]),
      await serve.token('run'),
      await worker(),
    ];
    const page = await openSignedIn(url, token);
    await helveFleet(at, 'send', 'make the file');
    await page
      .locator('#main')
      .getByRole('link', { name: /make the file/ })
      .click(); // the list has changed by itself
    const conversation = page.getByRole('log', { name: 'Conversation' });
    await conversation.getByText('I make the').waitFor(); // while the answer still streams
    more.resolve();
    await question(page).getByRole('heading', { name: 'Run this command?' }).waitFor();
    first.process.kill('SIGKILL');
    await worker();
    await pressAllow(page);
    await conversation.getByText('It is made.').waitFor();
    await page.locator('.session-head .state-idle').waitFor();
    await question(page).waitFor({ state: 'detached' });
    expect(await readFile(join(at.root, 'made.txt'), 'utf8')).toBe('made\n');
  },
);
