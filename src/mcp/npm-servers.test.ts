// Servers of others from npm, as people use them. They are not among the dependencies: the CI fetches them, and
// docs/mcp.md says how to do it by hand. Where they are missing, their tests are skipped and say so. None of them
// reaches a network: where the system allows it, they run without one, and their requests go to a closed port.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine, type FullEngine } from '../compose/create-engine.js';
import type { ToolResultBlock } from '../contract/message.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { until } from '../testing/watch-processes.js';

const folder = resolve(process.env['HELVE_MCP_SERVERS'] ?? 'node_modules/.cache/mcp-servers');

const CLOSED = 'http://127.0.0.1:9';
const withoutNetwork = {
  HTTP_PROXY: CLOSED,
  HTTPS_PROXY: CLOSED,
  ALL_PROXY: CLOSED,
  NODE_USE_ENV_PROXY: '1',
  NODE_NO_WARNINGS: '1', // of the line above
  DO_NOT_TRACK: '1',
  PLAYWRIGHT_BROWSERS_PATH: '/nonexistent',
  NOTION_TOKEN: 'none',
};
const namespace = spawnSync('unshare', ['-rn', 'true']).status === 0 ? ['unshare', '-rn'] : [];

interface NpmServer {
  /** Below the folder of packages. */
  program: string;
  args?: readonly string[];
  files?: Readonly<Record<string, string>>;
  /** How many tools it has at least, and one of them. */
  tools: [count: number, name: string];
  call: (root: string) => [tool: string, input: Record<string, unknown>];
  result: RegExp;
  fails?: true;
  /** What it offers beyond tools. */
  more?: (engine: FullEngine) => Promise<void>;
}

const servers: Readonly<Record<string, NpmServer>> = {
  thinking: {
    program: '@modelcontextprotocol/server-sequential-thinking/dist/index.js',
    tools: [1, 'sequentialthinking'],
    call: () => [
      'sequentialthinking',
      { thought: 'First, look.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    ],
    // Once: its structured content repeats its text.
    result: /^\[\{"type":"text","text":"[^\]]*thoughtNumber(?![\s\S]*thoughtNumber)/,
  },
  playwright: {
    program: '@playwright/mcp/cli.js',
    args: ['--headless', '--executable-path', '/nonexistent'],
    tools: [20, 'browser_navigate'],
    call: () => ['browser_navigate', { url: 'about:blank' }],
    result: /browser|executable/i,
    fails: true,
  },
  chrome: {
    program: 'chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js',
    args: ['--no-usage-statistics', '--no-performance-crux', '--headless', '--executablePath', '/nonexistent'],
    tools: [25, 'list_pages'],
    call: () => ['list_pages', {}],
    result: /nonexistent|browser/i,
    fails: true,
  },
  git: {
    program: '@cyanheads/git-mcp-server/dist/index.js',
    tools: [25, 'git_status'],
    call: (root) => ['git_init', { path: root }],
    result: /initial|success/i,
    more: useOffers,
  },
  notion: {
    program: '@notionhq/notion-mcp-server/bin/cli.mjs',
    tools: [20, 'API-post-search'],
    call: () => ['API-get-self', {}],
    result: /The MCP server notion refused the call|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|fetch|error/i,
    fails: true,
  },
  runner: {
    program: 'mcp-server-code-runner/dist/cli.js',
    tools: [1, 'run-code'],
    call: () => ['run-code', { code: 'console.log(6 * 7)', languageId: 'javascript' }],
    result: /42/,
  },
  eslint: {
    program: '@eslint/mcp/src/mcp-cli.js',
    files: {
      'eslint.config.mjs': 'export default [{ rules: { "no-debugger": "error" } }];\n',
      'a.js': 'debugger;\n',
    },
    tools: [1, 'lint-files'],
    call: (root) => ['lint-files', { filePaths: [join(root, 'a.js')] }],
    result: /no-debugger/,
  },
};

function entryOf({ program, args = [] }: NpmServer): { command: string; args: string[]; env: Record<string, string> } {
  const [command = '', ...words] = [...namespace, process.execPath, join(folder, 'node_modules', program), ...args];
  return { command, args: words, env: withoutNetwork };
}

async function started(name: string, server: NpmServer): Promise<{ engine: FullEngine; again(): FullEngine }> {
  const mcpServers = { [name]: entryOf(server) };
  const project = await temporaryProject(server.files ?? {}, { mcpServers, toolSet: 'all', commands: true });
  onTestFinished(async () => await project.remove());
  const { root, dataFolder } = project.engine.session;
  return {
    engine: project.engine,
    again() {
      const engine = createEngine({ root, dataFolder, mcpServers, permissionMode: 'bypassPermissions' });
      onTestFinished(async () => await engine.end());
      return engine;
    },
  };
}

async function call(engine: FullEngine, name: string, input: Record<string, unknown>): Promise<ToolResultBlock> {
  const [result] = await engine.callTools([{ id: 'c', name, input }]);
  if (!result) throw new Error('no result');
  return result;
}

const installed = (server: NpmServer, skip: (why: string) => void): void => {
  const program = join(folder, 'node_modules', server.program);
  if (!existsSync(program)) skip(`${program} is not there: docs/mcp.md says how to fetch it.`);
};

test.for(Object.entries(servers))(
  '%s: connects, lists, answers a call, and is the same after a restart',
  async ([name, server], { skip }) => {
    installed(server, skip);
    const { engine, again } = await started(name, server);
    await engine.servers.settled();
    const [state] = engine.servers.states();
    const [count, known] = server.tools;
    expect(state).toMatchObject({ status: 'connected', setAside: [], changes: [] });
    expect(state?.tools).toBeGreaterThanOrEqual(count);
    const tools = engine.session.tools.all.filter(({ source }) => source === 'mcp');
    expect(tools.map(({ tool }) => tool.name)).toContain(`mcp__${name}__${known}`);
    for (const { tool } of tools) {
      expect(tool.inputSchema).toMatchObject({ type: 'object' });
      for (const word of ['oneOf', 'anyOf', 'allOf', '$ref']) expect(tool.inputSchema).not.toHaveProperty(word);
    }
    const [tool, input] = server.call(engine.session.root);
    const result = await call(engine, `mcp__${name}__${tool}`, input);
    expect(result.is_error ?? false, JSON.stringify(result.content)).toBe(server.fails ?? false);
    expect(typeof result.content === 'string' ? result.content : JSON.stringify(result.content)).toMatch(server.result);
    await server.more?.(engine);
    await engine.end();

    const second = again();
    await second.servers.settled();
    expect(second.servers.states()).toMatchObject([{ status: 'connected', changes: [] }]);
  },
);

/** Resources are listed and read, and prompts are expanded. */
async function useOffers(engine: FullEngine): Promise<void> {
  const listed = JSON.stringify(await call(engine, 'ListMcpResources', {}));
  expect(listed).toContain('git://working-directory');
  const { root } = engine.session;
  await call(engine, 'mcp__git__git_set_working_dir', { path: root });
  const read = await call(engine, 'ReadMcpResource', { server: 'git', uri: 'git://working-directory' });
  expect(JSON.stringify(read)).toContain(root);
  const names = (await engine.commands?.listed())?.map((command) => command.name);
  expect(names).toContain('mcp__git__git_wrapup');
  const expanded = await engine.commands?.expand(
    [{ type: 'text', text: '/mcp__git__git_wrapup' }],
    new AbortController().signal,
  );
  expect(JSON.stringify(expanded)).toMatch(/commit/i);
}

test('runner: a call that never ends is cancelled, and the server goes on', async ({ skip }) => {
  const { runner } = servers;
  if (!runner) throw new Error('no server');
  installed(runner, skip);
  const { engine } = await started('runner', runner);
  await engine.servers.settled();
  const { root } = engine.session;
  const code = `require('node:fs').writeFileSync(${JSON.stringify(join(root, 'began'))}, ''); setInterval(() => {}, 1e6);`;
  const stop = new AbortController();
  const running = engine.callTools(
    [{ id: 'c', name: 'mcp__runner__run-code', input: { code, languageId: 'javascript' } }],
    { signal: stop.signal },
  );
  await until(() => existsSync(join(root, 'began')));
  stop.abort(new Error('enough'));
  expect(await running).toMatchObject([{ is_error: true, content: expect.stringContaining('interrupted') }]);
  const next = await call(engine, 'mcp__runner__run-code', { code: 'console.log(6 * 7)', languageId: 'javascript' });
  expect(JSON.stringify(next.content)).toContain('42');
});
