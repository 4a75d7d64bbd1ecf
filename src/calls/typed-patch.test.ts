// A patch that is typed into Bash is a call of both tools: no guard of either may miss it.
import { afterEach, expect, test } from 'vitest';
import type { FullEngineOptions } from '../compose/options.js';
import type { HookCallback, HookInput } from '../contract/hook.js';
import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../contract/permission.js';
import { type TestProject, temporaryProject } from '../testing/temporary-project.js';
import { askInEachForm } from './ask-in-each-form.js';

let project: TestProject | undefined;
afterEach(async () => {
  await project?.remove();
});

const patchOf = (name: string): string => `*** Begin Patch\n*** Add File: ${name}\n+new\n*** End Patch\n`;
const typed = (name: string): string => `apply_patch <<'EOF'\n${patchOf(name)}EOF`;

async function call(options: Partial<FullEngineOptions>, command = typed('a.txt')) {
  project = await temporaryProject({}, { editStyle: 'patch', ...options });
  const [result] = await project.engine.callTools([{ id: 'c', name: 'Bash', input: { command } }]);
  return {
    text: String(result?.content),
    exists: async (name: string) => (await project?.text(name).catch(() => '')) !== '',
  };
}

/** A hook that answers by what it sees, and keeps that. */
function hook(answer: (input: Record<string, unknown>) => object | undefined) {
  const seen: Array<Record<string, unknown>> = [];
  const callback: HookCallback = async (input: HookInput) => {
    const { tool_name, tool_input } = input as HookInput & { tool_name: string; tool_input: Record<string, unknown> };
    seen.push({ tool_name, ...tool_input });
    const hookSpecificOutput = answer(tool_input);
    return (
      hookSpecificOutput && { hookSpecificOutput: { hookEventName: input.hook_event_name, ...hookSpecificOutput } }
    );
  };
  return { seen, group: (matcher: string) => ({ matcher, hooks: [callback] }) };
}

test.each(['Bash', 'Bash(apply_patch:*)', 'Bash(apply_patch *)', 'Edit', 'Edit(a.txt)', 'apply_patch', 'Write'])(
  'a rule that denies %s denies it',
  async (rule) => {
    const { text, exists } = await call({ permissions: { deny: [rule] } });
    expect(text).toContain(`the rule "${rule}"`);
    expect(await exists('a.txt')).toBe(false);
  },
);

test('rules that allow Bash do not allow the change of files', async () => {
  const allow = ['Bash', 'Bash(apply_patch:*)'];
  expect((await call({ permissionMode: 'default', permissions: { allow } })).text).toContain('it writes');
});

test('it needs no more permission than the patch itself', async () => {
  const { exists } = await call({ permissionMode: 'acceptEdits' });
  expect(await exists('a.txt')).toBe(true);
});

test.each([
  ['Bash', { tool_name: 'Bash', command: typed('a.txt') }],
  ['Edit', { tool_name: 'apply_patch', input: patchOf('a.txt') }],
])('a hook on %s sees it in its own shape, and its refusal counts', async (matcher, shape) => {
  const guard = hook(() => ({ permissionDecision: 'deny', permissionDecisionReason: 'no' }));
  const { text, exists } = await call({ hooks: { PreToolUse: [guard.group(matcher)] } });
  expect(guard.seen).toEqual([shape]);
  expect(text).toContain('denies it: no');
  expect(await exists('a.txt')).toBe(false);
});

test.each([
  ['Bash', { command: typed('b.txt') }],
  ['Bash', { input: patchOf('b.txt') }],
  ['apply_patch', { input: patchOf('b.txt') }],
  ['apply_patch', { patch: patchOf('b.txt') }],
  ['apply_patch', { command: typed('b.txt') }],
])('a hook on %s may change it to %j', async (matcher, updatedInput) => {
  const { group } = hook(() => ({ updatedInput }));
  const { exists } = await call({ hooks: { PreToolUse: [group(matcher)] } });
  expect([await exists('a.txt'), await exists('b.txt')]).toEqual([false, true]);
});

test.each([
  ['a patch', typed('a.txt')],
  ['another command', 'echo hi'],
])('hooks on Edit see the patch that a hook on Bash makes of %s', async (_, command) => {
  const change = hook(() => ({ updatedInput: { command: typed('b.txt') } }));
  const guard = hook(() => ({ permissionDecision: 'deny' }));
  const { exists } = await call({ hooks: { PreToolUse: [change.group('Bash'), guard.group('Edit')] } }, command);
  expect(guard.seen).toEqual([{ tool_name: 'apply_patch', input: patchOf('b.txt') }]);
  expect(await exists('b.txt')).toBe(false);
});

test('hooks on Bash see the command that a hook on apply_patch makes of a patch', async () => {
  const guard = hook(({ command }) => (String(command).includes('touch') ? { permissionDecision: 'deny' } : undefined));
  const change = hook(() => ({ updatedInput: { command: 'touch mark.txt; echo x > mark.txt' } }));
  const { exists, text } = await call({ hooks: { PreToolUse: [guard.group('Bash'), change.group('apply_patch')] } });
  expect(guard.seen.map(({ command }) => command)).toEqual([typed('a.txt'), 'touch mark.txt; echo x > mark.txt']);
  expect(text).toContain('was not run');
  expect([await exists('a.txt'), await exists('mark.txt')]).toEqual([false, false]);
});

test('PermissionRequest hooks on Bash see the command that one on apply_patch makes of a patch', async () => {
  const guard = hook(({ command }) => ({
    decision: { behavior: String(command).includes('touch') ? 'deny' : 'allow', message: 'not that' },
  }));
  const change = hook(() => ({ decision: { behavior: 'allow', updatedInput: { command: 'touch mark.txt' } } }));
  const hooks = { PermissionRequest: [guard.group('Bash'), change.group('apply_patch')] };
  expect((await call({ permissionMode: 'default', hooks })).text).toContain('not that');
});

test('hooks that undo the changes of each other end in a refusal', async () => {
  const one = hook(() => ({ updatedInput: { command: typed('a.txt') } }));
  const other = hook(() => ({ updatedInput: { input: patchOf('b.txt') } }));
  const { exists, text } = await call({ hooks: { PreToolUse: [one.group('Bash'), other.group('apply_patch')] } });
  expect(text).toContain('hooks changed its input 10 times');
  expect([await exists('a.txt'), await exists('b.txt')]).toEqual([false, false]);
});

test('an input of a hook that does not fit is blamed on the hook', async () => {
  const callback: HookCallback = async function tidy() {
    return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 5 } } };
  };
  const { text } = await call({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [callback] }] } }, 'echo hi');
  expect(text).toContain('The hook "tidy" changed the input of this call to one that does not fit.');
  expect(text).toContain('Nothing was run. The answer of the hook must be corrected, not the call.');
  expect(text).not.toContain('send the call again');
});

test('a rule that denies Bash counts for the patch that a hook on Edit makes of it', async () => {
  const { group } = hook(() => ({ permissionDecision: 'allow', updatedInput: { input: patchOf('b.txt') } }));
  const { text } = await call({ permissions: { deny: ['Bash'] }, hooks: { PreToolUse: [group('Edit')] } });
  expect(text).toContain('the rule "Bash"');
});

test('what a hook on Bash allowed does not count for what a hook on Edit makes of it', async () => {
  const isFirst = ({ command }: Record<string, unknown>): boolean => command === typed('a.txt');
  const allowing = hook((input) => (isFirst(input) ? { permissionDecision: 'allow' } : undefined));
  const changing = hook(() => ({ updatedInput: { input: patchOf('b.txt') } }));
  const hooks = { PreToolUse: [allowing.group('Bash'), changing.group('Edit')] };
  expect((await call({ permissionMode: 'default', hooks })).text).toContain('it writes');
});

test.each(['Bash', 'Edit'])('a PermissionRequest hook on %s can refuse what another one allows', async (matcher) => {
  const guard = hook(() => ({ decision: { behavior: 'deny', message: 'not that' } }));
  const yes = hook(() => ({ decision: { behavior: 'allow' } }));
  const other = matcher === 'Bash' ? 'Edit' : 'Bash';
  const hooks = { PermissionRequest: [guard.group(matcher), yes.group(other)] };
  expect((await call({ permissionMode: 'default', hooks })).text).toContain('not that');
});

const asking = (answer: (question: PermissionQuestion) => PermissionAnswer) => {
  const asked: string[] = [];
  const ask: AskPermission = async (question) => {
    asked.push(question.tool);
    return answer(question);
  };
  return { asked, options: { permissionMode: 'default', askPermission: askInEachForm(ask) } as const };
};

test.each(['Bash', 'apply_patch'])(
  'a patch typed into Bash does not run if the program denies the call as %s',
  async (refused) => {
    const { options } = asking(({ tool }) => ({ behavior: tool === refused ? 'deny' : 'allow' }));
    expect(await (await call(options)).exists('a.txt')).toBe(false);
  },
);

test.each([
  ['as they came', 'a.txt', ({ input }: PermissionQuestion) => input],
  ['as a command', 'b.txt', () => ({ command: typed('b.txt') })],
  ['as a patch', 'b.txt', () => ({ input: patchOf('b.txt') })],
])('a program that allows both may send inputs back %s', async (_, name, updatedInput) => {
  const { asked, options } = asking((question) => ({
    behavior: 'allow',
    updatedInput: updatedInput(question) as Record<string, unknown>,
  }));
  expect(await (await call(options)).exists(name)).toBe(true);
  expect(asked).toEqual(['Bash', 'apply_patch']);
});

test('a program is asked about the patch that it makes of a command', async () => {
  const { asked, options } = asking(({ tool }) =>
    tool === 'Bash' ? { behavior: 'allow', updatedInput: { command: typed('b.txt') } } : { behavior: 'deny' },
  );
  expect(await (await call(options, 'make')).exists('b.txt')).toBe(false);
  expect(asked).toEqual(['Bash', 'apply_patch']);
});

test('a program is asked about the command that it makes of a patch', async () => {
  const { asked, options } = asking(({ tool, input }) => {
    if (tool === 'apply_patch') return { behavior: 'allow', updatedInput: { command: 'echo x > mark.txt' } };
    return { behavior: JSON.stringify(input).includes('mark.txt') ? 'deny' : 'allow' };
  });
  expect(await (await call(options)).exists('mark.txt')).toBe(false);
  expect(asked).toEqual(['Bash', 'apply_patch', 'Bash']);
});
