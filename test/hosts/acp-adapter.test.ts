// A real ACP client, the ACP adapter of Claude Code, its SDK, and Helve at the end of the chain. The CI fetches the first
// two; where they are missing, the tests are skipped and say so.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { helve, type Place, place } from './agent-sdk.js';

const clients = resolve(process.env['HELVE_ACP_CLIENTS'] ?? 'node_modules/.cache/acp-clients');
const programs = join(clients, 'node_modules/.bin');

const touch = { calls: [{ name: 'Bash', input: { command: 'touch a' } }] };

async function converse({ cwd, options }: Place, flags: readonly string[]): Promise<string> {
  const env = { ...(options['env'] as NodeJS.ProcessEnv), CLAUDE_CODE_EXECUTABLE: helve }; // as `place` made it
  const agent = join(programs, 'claude-agent-acp');
  const args = ['--agent', agent, '--format', 'json', ...flags, '--cwd', cwd, 'exec', 'go'];
  const child = spawn(join(programs, 'acpx'), args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(child, 'close');
  return output;
}

for (const [flag, isMade] of [
  ['--approve-all', true],
  ['--deny-all', false],
] as const) {
  test(`an ACP client with ${flag} decides about a call of Helve`, async ({ skip }) => {
    const missing = ['acpx', 'claude-agent-acp'].find((name) => !existsSync(join(programs, name)));
    if (missing !== undefined) skip(`${programs}/${missing} is not there: .ci/run fetches it.`);
    const at = await place([touch, { text: 'Done.' }]);
    const output = await converse(at, [flag]);
    expect(output).toContain('"method":"session/request_permission"');
    expect(output).toContain('"stopReason"');
    expect(existsSync(join(at.cwd, 'a'))).toBe(isMade);
  });
}
