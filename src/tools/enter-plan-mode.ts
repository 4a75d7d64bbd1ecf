import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import { refusal } from './refusal.js';

const description = `Switch to plan mode: you can read and search, and change nothing until the user agrees to a plan (ExitPlanMode).
Use it before work that has several ways or touches many files. Not for small or clear tasks.`;

export const enterPlanModeTool = defineTool({
  name: 'EnterPlanMode',
  title: 'Plan',
  about: 'Switches to plan mode, in which nothing is changed.',
  description,
  input: z.strictObject({}),
  needsPerson: true,
  effects: () => [{ kind: 'session', access: 'write', what: 'mode' }],

  async validate(_, { session }) {
    if (session.planning.mode === 'plan') {
      throw refusal('Plan mode is on already.', {
        advice: 'Look around, then put the plan to the user with ExitPlanMode.',
      });
    }
    return undefined;
  },

  async execute(_, { session }) {
    const before = session.planning.mode;
    session.planning.enter();
    return { before };
  },

  toModel: () =>
    'Plan mode is on: nothing can be changed until the user has agreed to a plan. Read and search until you know what to do, ask what only the user can decide, then send the whole plan with ExitPlanMode.',

  displayCall: () => ({ title: 'plan mode' }),
  displayResult: () => ({ title: 'plan mode', facts: ['on'] }),
});
