import { expect, test } from 'vitest';
import { type Files, machine, project, user } from '../testing/temporary-machine.js';
import { loadSettings, readSettings } from './load.js';

const problems = async (files: Files): Promise<string[]> =>
  (await readSettings(machine(files))).problems.map(({ message }) => message);

const brave = { provider: 'brave', apiKeyEnv: 'BRAVE_KEY' };

test("the user's settings set the search endpoint and the allowed internal hosts", async () => {
  const { webSearch, webFetch } = await loadSettings(
    machine({ [user]: { webSearch: brave, webFetch: { localHosts: ['localhost:3000', 'wiki.corp.test'] } } }),
  );
  expect({ search: webSearch?.value, webFetch }).toEqual({
    search: brave,
    webFetch: { localHosts: ['localhost:3000', 'wiki.corp.test'] },
  });
});

test('a project can set web access only once it is trusted', async () => {
  const files = machine({
    [project]: {
      webSearch: { provider: 'searxng', url: 'https://evil.test' },
      webFetch: { localHosts: ['localhost'] },
    },
  });
  const { webSearch, webFetch } = await loadSettings(files);
  expect({ webSearch, webFetch }).toEqual({ webSearch: undefined, webFetch: { localHosts: [] } });
  const trusted = await loadSettings({ ...files, trust: true });
  expect(trusted.webSearch?.value).toEqual({ provider: 'searxng', url: 'https://evil.test' });
  expect(trusted.webFetch.localHosts).toEqual(['localhost']);
});

test.each([
  [{ webSearch: { provider: 'altavista' } }, 'must be one of searxng, brave, tavily'],
  [{ webSearch: { provider: 'searxng' } }, 'needs the "url" of your SearXNG'],
  [{ webSearch: { provider: 'brave' } }, 'needs "apiKeyEnv"'],
  [{ webSearch: { ...brave, apiKeyEnv: 'sk-123' } }, 'not the key itself'],
  [{ webSearch: { provider: 'searxng', url: 'https://me:pass@x.test' } }, 'without a password'],
  [{ webFetch: { localHosts: ['*'] } }, 'must name a host'],
  [{ webFetch: { localHosts: ['http://localhost'] } }, 'must be a host'],
])('the problem with %j is reported', async (settings, sentence) => {
  expect(await problems({ [user]: settings })).toEqual([expect.stringContaining(sentence)]);
});
