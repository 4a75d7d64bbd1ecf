import { expect, onTestFinished, test } from 'vitest';
import { temporaryProject } from '../../testing/temporary-project.js';

test('a wait whose time is over does not wait until the client is loaded', async () => {
  const { engine, remove } = await temporaryProject({}, { mcpServers: { own: { command: 'none-such-server' } } });
  onTestFinished(remove);
  const order: string[] = [];
  const started = engine.servers.start().then(() => order.push('loaded'));
  await engine.servers.settled({ signal: AbortSignal.abort() });
  order.push('waited');
  await started;
  expect(order).toEqual(['waited', 'loaded']);
});
