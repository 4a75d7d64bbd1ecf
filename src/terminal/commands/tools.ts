import { summaryOf } from '../../platform/text/clause.js';
import { serverPartOf } from '../../platform/text/mcp-names.js';
import type { TerminalCommand } from '../contract.js';

export const tools: TerminalCommand = {
  name: 'tools',
  group: 'Session',
  description: 'list the tools that the model can call',

  async run(_, session) {
    await session.connectServers();
    const groups = Map.groupBy(session.tools, ({ name }) => serverPartOf(name));
    const columns = Math.max(...session.tools.map(({ name }) => name.length), 0) + 2;
    return {
      type: 'sections',
      sections: [...groups].map(([server, own]) => ({
        title: server === undefined ? 'Built in' : `MCP server ${server}`,
        note: `${own.length}`,
        lines: own.map((tool) => `  ${tool.name.padEnd(columns)}${summaryOf(tool)}`.trimEnd()),
      })),
    };
  },
};
