// What a host or an agent type restricts is in force.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Fields, load, messagesOf, ofKind, Prompts, place, resultOf, run, sdkTest, zod } from './agent-sdk.js';

const touch = (file: string) => ({ calls: [{ name: 'Bash', input: { command: `touch ${file}` } }] });
const done = { text: 'Done.' };

sdkTest(
  'the conversation has the tools, the mode and the model of its agent type',
  { options: ['agent'] },
  async () => {
    const at = await place([touch('a'), done, touch('b'), done]);
    const clerk = { description: 'Keeps records', prompt: 'You keep records.' };
    const agents = {
      reader: { ...clerk, tools: ['Read'], model: 'claude-haiku-4-5' },
      planner: { ...clerk, permissionMode: 'plan', disallowedTools: ['Write'] },
    };
    const asReader = await run(at, { agents, agent: 'reader', permissionMode: 'bypassPermissions' });
    expect(at.server.requests[0]?.body.tools?.map(({ name }) => name)).toEqual(['Read']);
    expect(at.server.requests[0]?.body.model).toContain('haiku');
    expect(resultOf(asReader)).toMatchObject({ result: 'Done.' });
    const asPlanner = await run(at, { agents, agent: 'planner', allowedTools: ['Bash'] });
    expect(ofKind(asPlanner, 'init')).toMatchObject([{ permissionMode: 'plan' }]);
    expect(at.server.requests.at(-1)?.body.tools?.map(({ name }) => name)).not.toContain('Write');
    expect([existsSync(join(at.cwd, 'a')), existsSync(join(at.cwd, 'b'))]).toEqual([false, false]);
  },
);

sdkTest('policies for tools of the host are in force in every mode, and none is lost later', {}, async () => {
  const [{ query, tool, createSdkMcpServer }, z] = [await load(), await zod()];
  const ran: string[] = [];
  const named = (name: string) =>
    tool(name, 'Does it', { x: z.string() }, async () => {
      ran.push(name);
      return { content: [{ type: 'text', text: 'ok' }] };
    });
  const server = (name: string, tools: unknown[]) => ({
    ...(createSdkMcpServer({ name, version: '1.0.0', tools: [named('send'), named('wipe'), named('look')] }) as Fields), // made by the SDK
    tools,
  });
  const call = (name: string) => ({ name: `mcp__mine__${name}`, input: { x: 'y' } });
  const at = await place([{ calls: [call('look')] }, { calls: [call('wipe'), call('send')] }, done]);
  const mine = server('mine', [
    { name: 'send', permission_policy: 'always_ask' },
    { name: 'wipe', permission_policy: 'always_deny' },
  ]);
  const asked: string[] = [];
  const canUseTool = async (name: string) => {
    asked.push(name);
    return { behavior: 'deny', message: 'No.' };
  };
  const prompts = new Prompts();
  const options = {
    mcpServers: { mine },
    allowedTools: ['mcp__mine'],
    permissionMode: 'bypassPermissions',
    canUseTool,
  };
  const allowed = { allowDangerouslySkipPermissions: true };
  const q = query({ prompt: prompts, options: { ...at.options, ...options, ...allowed } });
  await q['initializationResult']();
  const late = server('late', [{ name: 'wipe', permission_policy: 'always_deny' }]);
  await expect(q['setMcpServers']({ mine, late })).rejects.toThrow("can't be added during a conversation");
  prompts.send('go');
  prompts.end();
  await messagesOf(q);
  expect(asked).toEqual(['mcp__mine__send']);
  expect(ran).toEqual(['look']);
});
