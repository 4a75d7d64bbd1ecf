import type { TerminalCommand } from '../contract.js';
import { fitted } from './answers.js';

const marks = { ok: '✓', warning: '!', missing: '–', broken: '✗' } as const;

export const doctor: TerminalCommand = {
  name: 'doctor',
  group: 'Session',
  description: 'check the setup of this machine',

  async run(_, session) {
    const findings = await session.checkSetup();
    return fitted(findings.map(({ what, state, detail }) => `${marks[state]} ${what}: ${detail}`));
  },
};
