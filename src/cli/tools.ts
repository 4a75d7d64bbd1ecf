import { conditionalTools } from '../agent/conditional-tools.js';
import { ContextSize } from '../agent/context/context-size.js';
import type { PooledTool } from '../agent/tool-pool.js';
import { createEngine } from '../compose/create-engine.js';
import type { ToolDefinition } from '../contract/model.js';
import { summaryOf } from '../platform/text/clause.js';
import { counted } from '../platform/text/counted.js';
import { jsonText } from '../platform/text/json-line.js';
import { table } from '../platform/text/table.js';
import { visible } from '../platform/text/visible.js';
import { engineFlags, readArgs } from './args.js';
import { engineOptions } from './engine-options.js';
import { exitCode } from './exit-codes.js';
import { onSignals } from './signals.js';
import { terminalWidth } from './terminal-width.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

const SILENT_MS = 2_000; // a longer wait is reported

/** Lists the tools that a conversation here would have. */
export async function tools(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, {
    ...engineFlags,
    json: { type: 'boolean' },
    all: { type: 'boolean' },
  });
  if (positionals.length > 0) throw new UsageProblem(`helve tools takes no argument such as "${positionals[0]}".`);
  const { session, servers, commands, end } = createEngine({ ...(await engineOptions(values)), commands: true });
  const signals = onSignals(() => session.killAll());
  const timer = setTimeout(() => {
    const slow = servers.states().filter(({ status }) => status === 'pending');
    if (slow.length > 0) process.stderr.write(`helve: ${visible(waitLine(slow.map(({ name }) => name)))}\n`);
  }, SILENT_MS);
  await Promise.all([servers.settled({ signal: signals.signal }), commands?.find(), session.tools.ready()]);
  clearTimeout(timer);
  for (const { detail, setAside, changes, name } of servers.states()) {
    const problems = setAside.map(({ tool, why }) => `The tool ${tool} of the MCP server ${name} is not used. ${why}`);
    const held = changes.map(
      ({ tool }) =>
        `The MCP server ${name} has changed its tool ${tool}, which is held back: helve mcp approve ${name}.`,
    );
    for (const text of [...(detail === undefined ? [] : [detail]), ...problems, ...held]) {
      await writeLine(process.stderr, `helve: ${visible(text)}`);
    }
  }
  const listed = session.tools.all.filter(
    (pooled) => values.all || (pooled.enabled && session.tools.isActive(pooled.tool)),
  );
  const conditional = values.all ? await conditionalTools() : [];
  const more = conditional
    .filter(({ tool: { name } }) => listed.every(({ tool }) => tool.name !== name))
    .map((pooled): PooledTool => ({ ...pooled, source: 'builtin', enabled: false }));
  const rows = [...listed, ...more].map(({ tool, source, server, enabled, off }) => ({
    ...session.tools.describe(tool),
    ...(tool.title !== undefined && { title: tool.title }),
    ...(tool.about !== undefined && { about: tool.about }),
    source,
    ...(server !== undefined && { server }),
    exposure: session.tools.exposureOf(tool),
    enabled,
    ...(off !== undefined && { off }),
  }));
  await writeLine(process.stdout, values.json ? jsonText(rows) : asTable(rows));
  if (!values.json) await writeLine(process.stdout, `\n${sizeOf(session.tools.definitions())}`);
  await end();
  signals.dispose();
  return signals.exitCode ?? exitCode.ok;
}

/** How much of every request the definitions take. */
function sizeOf(definitions: readonly ToolDefinition[]): string {
  const { tools: tokens } = new ContextSize().measure({ system: [], tools: definitions, messages: [] });
  return `A request has ${counted(definitions.length, 'tool')}, about ${counted(tokens, 'token')}.`;
}

const waitLine = (names: readonly string[]): string =>
  `Waiting for the MCP ${names.length === 1 ? 'server' : 'servers'} ${names.join(', ')}. MCP_TIMEOUT sets how long, in milliseconds (30000 where it is not set).`;

interface Row {
  name: string;
  about?: string;
  description: string;
  exposure: string;
  enabled: PooledTool['enabled'];
  off?: string;
}

function asTable(rows: readonly Row[]): string {
  const cells = rows.map(({ name, about, description, exposure, enabled, off }) => {
    const why = off === undefined ? 'off here' : `off here: ${off}`;
    const notes = [exposure !== 'direct' && exposure, !enabled && why].filter(Boolean).join(', ');
    const summary = summaryOf({ about, description });
    return [name, `${summary}${notes ? ` (${notes})` : ''}`];
  });
  return table(cells, { indent: '', width: terminalWidth() }).join('\n');
}
