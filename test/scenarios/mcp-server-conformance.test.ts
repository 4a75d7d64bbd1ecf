import { once } from 'node:events';
import { mkdtemp, readFile, realpath } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { servedFolder, serveHttp } from './mcp-server-client.js';
import {
  runInspector,
  runRequirements,
  runSuite,
  scenariosOfRun,
  withBothSuites,
  withInspector,
  withSuite,
} from './official-suite.js';
import { serveSuiteTools } from './suite-server.js';

/** What `helve mcp serve` itself has; the other scenarios use tools, resources and prompts of the suite's own server. */
const ofAnyServer = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

withSuite('helve mcp serve passes the scenarios that need no tools of the suite', async () => {
  const { url, token } = await serveHttp(await servedFolder());
  const run = await runSuite('server', ['--url', await withToken(url, token)]);
  expect(passedIn(run.output), run.output).toEqual(ofAnyServer);
});

/** Deprecated since the revision of 2026-07-28, and not built; docs/mcp-server.md says why. */
const logging = ['logging-set-level', 'tools-call-with-logging'];

/** Beyond what the suite requires: it runs them, and does not count them. */
const notRequired = /^tasks-|^http-custom-header|^http-header-validation|^json-schema|^server-s(?:ession|se-polling)/;

withBothSuites('passes every scenario but logging with the tools, resources and prompts of the suite', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-suite-')));
  const token = 'the-token-of-this-test';
  const service = await serveSuiteTools({ root, dataFolder: join(root, 'data'), token });
  onTestFinished(async () => await service.close());
  const address = ['--url', await withToken(service.url, token)];
  const newest = await runRequirements('server', '2026-07-28', address); // alone, since it waits only 500 ms for some answers
  const older = scenariosOfRun(['0.1.16', '2025-11-25'], 1 / 2); // almost the same scenarios
  const others = await Promise.all(
    older.map(async (name) => ({
      name,
      run:
        name === '0.1.16'
          ? await runSuite('server', address, logging)
          : await runRequirements('server', name, address, logging),
      failures: logging,
    })),
  );
  const page = await readFile('docs/mcp-server.md', 'utf8');
  for (const { run, name, failures } of [...others, { run: newest, name: '2026-07-28', failures: [] }]) {
    const isRequired = (scenario: string): boolean => !notRequired.test(scenario);
    const [passed, failed] = ['✓', '✗'].map((sign) => passedIn(run.output, sign).filter(isRequired));
    expect({ code: run.code, failed }, run.output).toEqual({ code: 0, failed: failures });
    expect(page).toContain(`| ${name} | ${passed?.length} of ${(passed?.length ?? 0) + failures.length} |`);
  }
});

/** The scenarios in the summary of a run that passed or, with `✗`, failed. */
const passedIn = (output: string, sign = '✓'): string[] =>
  [...output.matchAll(/^([✓✗]) ([\w-]+): \d+ passed/gm)].flatMap(([, found, name = '']) =>
    found === sign ? [name] : [],
  );

withInspector(
  'the inspector lists and calls tools over both transports, and is refused where a rule denies',
  async () => {
    const folder = await servedFolder({ 'a.txt': 'one\n' });
    const flags = ['--disallowed-tools', 'Read(secret.txt)'];
    const { url, token } = await serveHttp(folder, { flags });
    const command = [process.execPath, resolve('bin/helve.cjs'), 'mcp', 'serve', ...flags];
    const address = [url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
    const place = { cwd: folder.root, env: folder.env };
    const read = (name: string): string[] => [
      ...['--method', 'tools/call', '--tool-name', 'Read', '--tool-arg', `file_path=${name}`],
    ];
    for (const target of [command, address]) {
      const list = await runInspector([...target, '--method', 'tools/list'], place);
      expect(JSON.parse(list.output)).toMatchObject({
        tools: expect.arrayContaining([expect.objectContaining({ name: 'Read' })]),
      });
      const answer = await runInspector([...target, ...read('a.txt')], place);
      expect(JSON.parse(answer.output)).toMatchObject({ content: [{ type: 'text', text: '1\tone' }] });
      const refusal = await runInspector([...target, ...read('secret.txt')], place);
      expect(refusal.output).toMatch(/"isError": true/);
      expect(refusal.output).toContain('Read was not run');
    }
  },
);

/** The suite can't send a token, so it speaks to this, which adds it and changes nothing else but our own name. */
async function withToken(target: string, token: string): Promise<string> {
  const { hostname, port, host, pathname } = new URL(target);
  const proxy = createServer((incoming, outgoing) => {
    const own = incoming.headers.host === new URL(url).host ? host : incoming.headers.host;
    const headers = { ...incoming.headers, host: own, authorization: `Bearer ${token}` };
    const onward = request({ hostname, port, path: pathname, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const address = proxy.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`;
  return url;
}
