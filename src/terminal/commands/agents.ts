import { summaryOf } from '../../platform/text/clause.js';
import { grouped } from '../../platform/text/digits.js';
import { table } from '../../platform/text/table.js';
import type { TerminalCommand } from '../contract.js';
import { fitted } from './answers.js';

export const agents: TerminalCommand = {
  name: 'agents',
  group: 'Session',
  description: 'list child agents and their types',

  async run(_, session) {
    const types = await session.agentTypes();
    const started = session.agents.map(({ id, type, description, report }) => [
      id,
      type,
      report === undefined
        ? 'at work'
        : [report.problem ?? 'done', `${report.calls} calls`, `${grouped(report.tokens)} tokens`].join(', '),
      description,
    ]);
    return fitted([
      'Kinds',
      ...table(
        types.map((type) => [type.name, [summaryOf(type), type.file && `(${type.file})`].filter(Boolean).join(' ')]),
      ),
      ...(started.length === 0 ? ['None has been started in this conversation.'] : ['Started', ...table(started)]),
      'To add a type, write it to .helve/agents/NAME.md',
    ]);
  },
};
