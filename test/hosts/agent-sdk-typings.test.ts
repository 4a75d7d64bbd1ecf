// What Helve sends has every field that the typings of the Agent SDK require: the compiler checks recorded lines.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder } from '../cli/run-helve.js';
import { fields, type Line, startHost } from '../cli/stream-json-host.js';
import { folder, newest, pathOf } from './agent-sdk.js';

const messageTypes: Readonly<Record<string, string>> = {
  assistant: 'SDKAssistantMessage',
  user: 'SDKUserMessage',
  result: 'SDKResultMessage',
  stream_event: 'SDKPartialAssistantMessage',
  tool_progress: 'SDKToolProgressMessage',
  init: 'SDKSystemMessage',
  status: 'SDKStatusMessage',
  compact_boundary: 'SDKCompactBoundaryMessage',
  api_retry: 'SDKAPIRetryMessage',
  session_state_changed: 'SDKSessionStateChangedMessage',
  task_started: 'SDKTaskStartedMessage',
  task_progress: 'SDKTaskProgressMessage',
  task_updated: 'SDKTaskUpdatedMessage',
  task_notification: 'SDKTaskNotificationMessage',
  background_tasks_changed: 'SDKBackgroundTasksChangedMessage',
  permission_denied: 'SDKPermissionDeniedMessage',
  hook_started: 'SDKHookStartedMessage',
  hook_response: 'SDKHookResponseMessage',
};

const answers: ReadonlyArray<[request: Line, type: string]> = [
  [{ subtype: 'get_context_usage' }, 'SDKControlGetContextUsageResponse'],
  [{ subtype: 'get_usage' }, 'SDKControlGetUsageResponse'],
  [{ subtype: 'get_hooks_listing' }, 'SDKControlGetHooksListingResponse'],
  [{ subtype: 'list_permission_rules' }, 'SDKControlListPermissionRulesResponse'],
  [{ subtype: 'read_file', path: 'a.txt' }, 'SDKControlReadFileResponse'],
  [{ subtype: 'reload_skills' }, 'SDKControlReloadSkillsResponse'],
  [{ subtype: 'interrupt' }, 'SDKControlInterruptResponse'],
  [{ subtype: 'mcp_status' }, '{ mcpServers: S.McpServerStatus[] }'],
  [{ subtype: 'mcp_set_servers', servers: {} }, 'McpSetServersResult'],
  [{ subtype: 'rewind_files', user_message_id: 'x' }, 'RewindFilesResult'],
  [{ subtype: 'list_models' }, '{ models: S.ModelInfo[] }'],
];

/** A value as a type of its own, so that fields that the typings do not name are no error. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(typeOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, field]) => `${JSON.stringify(name)}: ${typeOf(field)}`)
    .join('; ')} }`;
}

const isHookCall = ({ request }: Line): boolean =>
  request !== undefined && fields(request)['subtype'] === 'hook_callback';

test('lines, answers and inputs of hooks fit the typings', async ({ skip }) => {
  if (!existsSync(pathOf(newest))) skip('the SDK is not there');
  const task = { name: 'Task', input: { description: 'count', prompt: 'Count.', subagent_type: 'general-purpose' } };
  const host = await startHost(
    [
      {
        text: 'Now.',
        calls: [
          { name: 'Bash', input: { command: 'echo x', run_in_background: true } },
          { name: 'Write', input: { file_path: 'a.txt', content: 'x\n' } },
          task,
        ],
      },
      { text: 'Three.' },
      { text: 'Done.' },
      { text: 'Summary.' },
    ],
    {
      args: ['--include-partial-messages', '--include-hook-events', '--permission-mode', 'bypassPermissions'],
      env: { CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' },
    },
  );
  const checked: Array<[type: string, value: unknown]> = [];
  const events = ['PreToolUse', 'PostToolUse', 'Stop', 'UserPromptSubmit', 'PreModelSwitch', 'PostModelSwitch'];
  const hooks = Object.fromEntries(events.map((event) => [event, [{ hookCallbackIds: [event] }]]));
  const answered = new Set<unknown>();
  const answerHooks = async (): Promise<never> => {
    for (;;) {
      const line = await host.find((each) => isHookCall(each) && !answered.has(each['request_id']));
      answered.add(line['request_id']);
      host.answer(line, {});
    }
  };
  const answering = answerHooks().catch(() => {}); // until Helve has ended
  const initialized = await host.request({ subtype: 'initialize', hooks });
  checked.push(['SDKControlInitializeResponse', initialized['response']]);
  host.prompt('go');
  await host.next('success');
  await host.find(() => host.kinds().filter((kind) => kind === 'task_notification').length === 2);
  expect(await host.request({ subtype: 'set_model', model: 'claude-haiku-4-5' })).toMatchObject({ subtype: 'success' });
  for (const [request, type] of answers) {
    const answer = await host.request(request);
    expect(answer, String(request['subtype'])).toMatchObject({ subtype: 'success' });
    checked.push([type, answer['response']]);
  }
  await host.end();
  await answering;
  for (const line of host.lines) {
    if (isHookCall(line)) {
      const { callback_id, input } = fields(line['request']);
      checked.push([`${String(callback_id)}HookInput`, input]);
    }
    const type = messageTypes[String(line['type'] === 'system' ? line['subtype'] : line['type'])];
    if (type !== undefined) checked.push([type, line]);
  }
  const seen = new Set(checked.map(([type]) => type));
  for (const event of events) expect(seen).toContain(`${event}HookInput`);
  for (const kind of [
    'assistant',
    'user',
    'result',
    'stream_event',
    'init',
    'task_started',
    'background_tasks_changed',
  ]) {
    expect(seen).toContain(messageTypes[kind]);
  }

  const at = await emptyFolder();
  const typings = readFileSync(join(folder, newest, 'sdk.d.ts'), 'utf8');
  // Messages of Anthropic's API have fields there that its older versions, and other providers, do not have.
  const checkable = typings
    .replaceAll(/^declare (type|interface) /gm, 'export declare $1 ')
    .replaceAll(/^( {4}(?:message|event)): Beta\w+;$/gm, '$1: object;');
  await writeFile(join(at, 'sdk.d.ts'), checkable);
  const source = checked.map(([type, value], index) => {
    const target = type.startsWith('{') ? type : `S.${type}`;
    return `declare const v${index}: ${typeOf(value)};\nexport const c${index}: ${target} = v${index};`;
  });
  await writeFile(join(at, 'check.ts'), ["import type * as S from './sdk.js';", ...source].join('\n'));
  await writeFile(join(at, 'package.json'), '{"type": "module"}');
  await symlink(resolve('node_modules'), join(at, 'node_modules'));
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'];
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, ...flags, '--types', 'node', 'check.ts'], {
    cwd: at,
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
}, 60_000);
