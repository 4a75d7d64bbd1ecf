import { mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { FullEngineOptions } from '../compose/options.js';
import {
  modeWords,
  type PermissionAnswer,
  type PermissionMode,
  type PermissionQuestion,
} from '../contract/permission.js';
import type { ApprovedPlan, SwarmReport } from '../contract/planning.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { enterPlanModeTool } from './enter-plan-mode.js';
import { exitPlanModeTool } from './exit-plan-mode.js';
import { writeTool } from './write.js';

const plan = '1. Write the parser\n2. Test it (depends on 1)';

async function projectWith(
  answer: PermissionAnswer,
  mode: PermissionMode = 'default',
  more: Partial<FullEngineOptions> = {},
) {
  const questions: PermissionQuestion[] = [];
  const project = await temporaryProject(
    {},
    {
      permissionMode: mode,
      askPermission: async (question) => {
        questions.push(question);
        return answer;
      },
      ...more,
    },
  );
  const { session } = project.engine;
  return { project, session, questions };
}

test.each<PermissionMode>(['default', 'acceptEdits', 'bypassPermissions', 'dontAsk'])(
  'enters plan mode from %s without asking, and then nothing can be changed',
  async (mode) => {
    const { project, session, questions } = await projectWith({ behavior: 'allow' }, mode);
    const run = await project.run(enterPlanModeTool, {});
    expect(run).toMatchObject({ isError: false, content: expect.stringContaining('Plan mode is on') });
    expect(session.mode).toBe('plan');
    expect((await project.run(writeTool, { file_path: 'a.txt', content: 'a' })).failure).toBe('permission_denied');
    expect(questions).toEqual([]);
  },
);

test('is refused if plan mode is already on, or not on', async () => {
  const { project } = await projectWith({ behavior: 'allow' }, 'plan');
  expect((await project.run(enterPlanModeTool, {})).content).toContain('Plan mode is on already');
  const other = await projectWith({ behavior: 'allow' });
  const run = await other.project.run(exitPlanModeTool, { plan });
  expect(run.failure).toBe('check_refused');
  expect(run.content).toContain('Plan mode is not on (the mode is default)');
});

test.each<PermissionMode>(['default', 'acceptEdits', 'bypassPermissions'])(
  'goes back to %s when the person agrees to the plan, which they are shown',
  async (mode) => {
    const { project, session, questions } = await projectWith({ behavior: 'allow' }, mode);
    await project.run(enterPlanModeTool, {});
    const run = await project.run(exitPlanModeTool, { plan });
    expect(run).toMatchObject({ isError: false, content: expect.stringContaining('The user has agreed to the plan') });
    expect(session.mode).toBe(mode);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatchObject({
      tool: 'ExitPlanMode',
      input: { plan },
      reason: `the plan waits for approval; with it the mode becomes "${modeWords[mode]}"`,
      display: { title: 'plan', body: { type: 'markdown', text: plan } },
      suggestions: [],
    });
  },
);

test('switches to the mode that the person chooses', async () => {
  const { project, session } = await projectWith({ behavior: 'allow', mode: 'acceptEdits' }, 'plan');
  const run = await project.run(exitPlanModeTool, { plan });
  expect(run.content).toContain('the mode is acceptEdits');
  expect(session.mode).toBe('acceptEdits');
});

test('an answer cannot set a forbidden mode', async () => {
  const answer = { behavior: 'allow', mode: 'bypassPermissions' } as unknown as PermissionAnswer; // from a program without types
  const { project, session } = await projectWith(answer, 'plan');
  expect((await project.run(exitPlanModeTool, { plan })).isError).toBe(false);
  expect(session.mode).toBe('default');
});

test('a session that began in plan mode continues in the default mode', async () => {
  const { project, session } = await projectWith({ behavior: 'allow' }, 'plan');
  await project.run(exitPlanModeTool, { plan });
  expect(session.mode).toBe('default');
});

test('stays in plan mode when the person refuses, and the model learns why', async () => {
  const { project, session } = await projectWith({ behavior: 'deny', reason: 'Think of Windows as well.' }, 'plan');
  const run = await project.run(exitPlanModeTool, { plan });
  expect(run.failure).toBe('permission_denied');
  expect(run.content).toContain('Think of Windows as well.');
  expect(session.mode).toBe('plan');
  expect(session.plan).toBe(plan);
});

test('uses the plan as the person edited it, and shows it to the model', async () => {
  const { project, session, questions } = await projectWith(
    { behavior: 'allow', updatedInput: { plan: '1. Only the parser' } },
    'plan',
  );
  const run = await project.run(exitPlanModeTool, { plan });
  expect(run.content).toContain('They changed it. The plan that they agreed to:\n1. Only the parser');
  expect(questions).toHaveLength(1);
  expect([session.mode, session.plan]).toEqual(['default', '1. Only the parser']);
});

test('is denied without a user to agree, and in the mode dontAsk', async () => {
  const project = await temporaryProject({}, { permissionMode: 'plan' });
  const run = await project.run(exitPlanModeTool, { plan });
  expect(run.failure).toBe('permission_denied');
  expect(run.content).toContain('no one can be asked here');
  expect(project.engine.session.mode).toBe('plan');
});

test('a rule or a hook that allows the tool does not approve a plan', async () => {
  const { project, session, questions } = await projectWith({ behavior: 'deny' }, 'plan', {
    permissions: { allow: ['ExitPlanMode'] },
    hooks: {
      PreToolUse: [
        { hooks: [() => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } })] },
      ],
    },
  });
  expect((await project.run(exitPlanModeTool, { plan })).failure).toBe('permission_denied');
  expect([questions.length, session.mode]).toEqual([1, 'plan']);
});

test('a hook can approve in place of the person', async () => {
  const project = await temporaryProject(
    {},
    {
      permissionMode: 'plan',
      hooks: {
        PermissionRequest: [
          {
            matcher: 'ExitPlanMode',
            hooks: [
              () => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } }),
            ],
          },
        ],
      },
    },
  );
  expect((await project.run(exitPlanModeTool, { plan })).isError).toBe(false);
  expect(project.engine.session.mode).toBe('default');
});

test('a call that was not approved cannot leave plan mode', async () => {
  const { session } = await projectWith({ behavior: 'allow' }, 'plan');
  expect(() => session.planning.leave('call_1')).toThrow('without approval');
  expect(session.mode).toBe('plan');
});

test('keeps the plan in a private file of the session', async () => {
  const { project, session } = await projectWith({ behavior: 'allow' }, 'plan');
  const run = await project.run(exitPlanModeTool, { plan });
  const file = join(session.dataFolder, 'sessions', session.id, 'plan.md');
  expect(run.data).toMatchObject({ file, plan, mode: 'default' });
  expect(await readFile(file, 'utf8')).toBe(`${plan}\n`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('does not write through a symlink at that path, and continues without the file', async () => {
  const { project, session } = await projectWith({ behavior: 'allow' }, 'plan');
  const folder = join(session.dataFolder, 'sessions', session.id);
  await mkdir(folder, { recursive: true });
  await project.write('mine.md', 'mine');
  await symlink(project.path('mine.md'), join(folder, 'plan.md'));
  const run = await project.run(exitPlanModeTool, { plan });
  expect(run.isError).toBe(false);
  expect(run.data).not.toHaveProperty('file');
  expect(await project.text('mine.md')).toBe('mine');
});

test('presents the previous plan if none is sent, and refuses if there is none', async () => {
  const { project, questions } = await projectWith({ behavior: 'deny' }, 'plan');
  expect((await project.run(exitPlanModeTool, {})).content).toContain('There is no plan yet. Send it in "plan"');
  await project.run(exitPlanModeTool, { plan });
  await project.run(exitPlanModeTool, {});
  expect(questions).toHaveLength(2);
});

test('reminds the model of plan mode once, and when it is switched off elsewhere', async () => {
  const { session } = await projectWith({ behavior: 'allow' }, 'plan');
  expect(session.takeReminders().map(({ text }) => text)).toEqual([expect.stringContaining('Plan mode is on')]);
  expect(session.takeReminders()).toEqual([]);
  session.mode = 'acceptEdits';
  expect(session.takeReminders().map(({ text }) => text)).toEqual([expect.stringContaining('the mode is acceptEdits')]);
  expect(session.takeReminders()).toEqual([]);
});

test('refuses a swarm if no child agents can be started, before the user is asked', async () => {
  const { project, questions, session } = await projectWith({ behavior: 'allow' }, 'plan');
  session.provide({ swarm: undefined });
  const run = await project.run(exitPlanModeTool, { plan, launchSwarm: true });
  expect(run.failure).toBe('check_refused');
  expect(run.content).toContain('launchSwarm needs child agents');
  expect(questions).toEqual([]);
});

test('runs the steps of an approved plan with progress, and reports each', async () => {
  const { project, session, questions } = await projectWith({ behavior: 'allow' }, 'plan');
  const ran: Array<{ plan: ApprovedPlan; count: number; mode: PermissionMode }> = [];
  const report: SwarmReport = {
    steps: [
      { id: '1', outcome: 'done', report: 'It parses.' },
      { id: '2', outcome: 'failed', report: 'One test fails.' },
    ],
  };
  session.provide({
    swarm: {
      check: async () => undefined,
      async run(approved, count, { onProgress }) {
        ran.push({ plan: approved, count, mode: session.mode });
        onProgress('step 1 begins');
        return report;
      },
    },
  });
  const run = await project.run(exitPlanModeTool, { plan, launchSwarm: true, teammateCount: 2 });
  expect(run.content).toContain('Step 1 (Write the parser): done. It parses.');
  expect(run.content).toContain('Step 2 (Test it (depends on 1)): FAILED. One test fails.');
  expect(ran).toMatchObject([
    { count: 2, mode: 'default', plan: { text: plan, steps: [{ id: '1' }, { id: '2', dependsOn: ['1'] }] } },
  ]);
  expect(questions[0]?.reason).toContain('and 2 child agents run its steps');
  expect(run.events).toContainEqual(expect.objectContaining({ type: 'tool_progress', text: 'step 1 begins' }));
  expect(await project.effects(exitPlanModeTool, { plan, launchSwarm: true })).toEqual([]);
});

test('a plan that another call sends meanwhile does not replace the approved one', async () => {
  const ran: string[] = [];
  const answer = Promise.withResolvers<PermissionAnswer>();
  const questions: PermissionQuestion[] = [];
  const { project, session } = await projectWith({ behavior: 'deny' }, 'plan', {
    askPermission: (question) => {
      questions.push(question);
      return questions.length === 2 ? answer.promise : Promise.resolve({ behavior: 'deny' });
    },
  });
  session.provide({
    swarm: {
      check: async () => undefined,
      async run({ text }) {
        ran.push(text);
        return { steps: [] };
      },
    },
  });
  await project.run(exitPlanModeTool, { plan });
  const agreedTo = project.run(exitPlanModeTool, { launchSwarm: true });
  await vi.waitFor(() => expect(questions).toHaveLength(2));
  await project.run(exitPlanModeTool, { plan: '1. Something else', launchSwarm: true });
  answer.resolve({ behavior: 'allow' });
  expect((await agreedTo).data).toMatchObject({ plan });
  expect(ran).toEqual([plan]);
  expect(questions[1]?.reason).toMatch(
    /^the plan of before \(\/.*plan\.md\) waits for approval.*:\n1\. Write the parser/,
  );
});

test.each([
  [{ plan: 'Just do it.', launchSwarm: true }, 'The plan has no steps'],
  [{ plan, teammateCount: 2 }, 'teammateCount counts for launchSwarm only'],
])('refuses an invalid swarm: %#', async (input, problem) => {
  const { project, session } = await projectWith({ behavior: 'allow' }, 'plan');
  session.provide({ swarm: { check: async () => undefined, run: async () => ({ steps: [] }) } });
  expect((await project.run(exitPlanModeTool, input)).content).toContain(problem);
  expect(session.mode).toBe('plan');
});
