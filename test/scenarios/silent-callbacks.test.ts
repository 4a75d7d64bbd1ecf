// Callbacks and servers that never answer, in a program that waits for nothing else: Node must not exit before the time
// for them is up.
import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { buildProgram } from './build-program.js';

const run = promisify(execFile);

const source = `
  import { existsSync } from 'node:fs';
  import { join } from 'node:path';
  import { createAgent } from '../../compose/create-agent.js';
  import { scriptedModel } from '../../models/scripted.js';
  const [, , root, dataFolder, event] = process.argv;
  const never = () => new Promise(() => {});
  const turns = [{ calls: [{ name: 'Write', input: { file_path: 'a.txt', content: 'x' } }] }, { text: 'done' }];
  const agent = createAgent({
    model: scriptedModel({ turns }), root, dataFolder, permissionMode: 'bypassPermissions',
    hooks: { [event]: [{ timeout: 0.2, hooks: [never] }] },
  });
  async function main() {
    const { outcome } = await agent.run('go').result;
    await agent.end();
    console.log(outcome, existsSync(join(root, 'a.txt')) ? 'written' : 'not written');
  }
  void main(); // not awaited at the top level: Node would exit with code 13, which is not what programs see
`;

let program = '';
beforeAll(async () => {
  program = await buildProgram(source);
});

test.each([
  ['PreToolUse', 'not written'],
  ['PostToolUse', 'written'],
  ['Stop', 'written'],
  ['UserPromptSubmit', 'written'],
  ['Notification', 'written'],
  ['SessionEnd', 'written'],
])('a callback for %s that never answers times out, and the program continues', async (event, written) => {
  const folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'helve-test-'))));
  const { stdout } = await run(process.execPath, [program, ...folders, event]);
  expect(stdout).toBe(`completed ${written}\n`);
});

test('a program that waits for a server that cannot be reached gets a result', async () => {
  const calling = await buildProgram(`
    import { createEngine } from '../../compose/create-engine.js';
    const [, , root, dataFolder] = process.argv;
    const mcpServers = { away: { type: 'http', url: 'http://127.0.0.1:9/mcp' } }; // the port of "discard", where nothing listens
    async function main() {
      const engine = createEngine({ root, dataFolder, permissionMode: 'bypassPermissions', mcpServers });
      const results = await engine.runCalls([{ id: '1', name: 'mcp__away__x', input: {} }]);
      await engine.end();
      console.log(results.length);
    }
    void main();
  `);
  const folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'helve-test-'))));
  const { stdout } = await run(process.execPath, [calling, ...folders]);
  expect(stdout).toBe('1\n');
});
