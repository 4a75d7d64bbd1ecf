import type { ConfiguredHook } from '../../hooks/schema.js';
import type { TerminalCommand } from '../contract.js';
import { text } from './answers.js';

export const hooks: TerminalCommand = {
  name: 'hooks',
  group: 'Session',
  description: 'list the hooks, and where each comes from',

  async run(_, session) {
    await session.refresh();
    const all = session.settings.hooks;
    if (all.length === 0) return text('No hooks are set. docs/hooks.md shows how to add one to a settings file.');
    const events = Map.groupBy(all, ({ event }) => event);
    return {
      type: 'sections',
      sections: [...events].map(([event, configured]) => ({ title: event, lines: configured.flatMap(linesOf) })),
    };
  },
};

function linesOf({ matcher, hook, source, trusted }: ConfiguredHook): string[] {
  const what = hook.type === 'command' ? [hook.command, ...(hook.args ?? [])].join(' ') : hook.url;
  const state = trusted ? '' : ' (not used: the folder is not trusted)';
  return [`  ${matcher === '' ? 'always' : matcher}: ${what}`, `      from ${source}${state}`];
}
