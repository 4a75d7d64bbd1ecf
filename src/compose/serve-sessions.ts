// Helve as an MCP server: a session for each connection.
import type { AgentHappening } from '../contract/event.js';
import type { OpenSession, ServedResult, ServedTool, ServerIdentity } from '../mcp/server/serve-port.js';
import { withoutAgents } from '../tools/roles.js';
import { createEngine, type FullEngine, withReminders } from './create-engine.js';
import type { FullEngineOptions } from './options.js';

declare const HELVE_VERSION: string | undefined; // defined by the build

interface Opening {
  /** Open sessions are added here, for a caller that must end them at once. */
  engines?: Set<FullEngine>;
  /** Called with notices for the person. */
  onNotice(text: string): void;
}

/** The default identity of the server. */
export const identityOf = (root: string): ServerIdentity => ({
  name: 'helve',
  title: 'Helve',
  version: typeof HELVE_VERSION === 'string' ? HELVE_VERSION : '0.0.0',
  instructions:
    `Tools on a real machine, for the project in ${root}. Relative paths start there. ` +
    'Read a file before you change it. Every call is judged by the rules and hooks of this machine; a call that is ' +
    'refused comes back as an error that says why: do not look for another way to do the same. ' +
    'The working directory of commands and what was read are kept as long as the connection.',
});

/** Each connection has a separate engine: files read, permissions and processes of one don't affect the others. */
export function openSessions(options: FullEngineOptions, { engines, onNotice }: Opening): OpenSession {
  return ({ mcpClient, ...asking }) => {
    // Only servers of --mcp-config: the client connects to others itself, and one of those may be this server.
    const toolSwitches = { ...options.toolSwitches, ...withoutAgents };
    const engine = createEngine({ ...options, ...asking, strictMcp: true, toolSwitches });
    engines?.add(engine);
    const { session } = engine;
    session.provide({ mcpClient });
    let known: { definitions: unknown; tools: readonly ServedTool[] } | undefined;
    let number = 0;
    return {
      async tools() {
        await engine.ready();
        const definitions = session.tools.definitions();
        if (known?.definitions !== definitions) known = { definitions, tools: servedTools(engine) };
        return known.tools;
      },
      async call({ name, input, signal, onProgress }) {
        number += 1;
        const id = `call_${number}`;
        let failure: ServedResult['failure'];
        let mcp: ServedResult['mcp'];
        const onEvent = (event: AgentHappening): void => {
          if (event.type === 'tool_progress') onProgress(event.text);
          if (event.type === 'tool_result') ({ failure, mcp } = event);
          if (event.type === 'notice') onNotice(event.text);
        };
        const [result] = await engine.callTools([{ id, name, input }], { signal, onEvent });
        if (!result) throw new Error(`The call ${id} of ${name} gave no result.`);
        const reminders = session.takeReminders();
        const content = withReminders(result.content, reminders);
        const forClient = mcp?.content ? { ...mcp, content: [...mcp.content, ...reminders] } : mcp;
        return { content, ...(forClient && { mcp: forClient }), ...(failure !== undefined && { failure }) };
      },
      async end() {
        await engine.end();
        engines?.delete(engine);
      },
    };
  };
}

function servedTools(engine: FullEngine): ServedTool[] {
  const { tools } = engine.session;
  return tools.definitions().flatMap(({ name, description, input_schema }) => {
    const tool = tools.find(name);
    if (!tool) return [];
    return [
      {
        name,
        description,
        ...(tool.title !== undefined && { title: tool.title }),
        inputSchema: input_schema,
        ...(tool.outputSchema && { outputSchema: tool.outputSchema }),
        async effects(input) {
          await tool.load();
          const accepted = tool.accept(input);
          if (!accepted.ok) return undefined;
          return await accepted.call.effects(engine.contextFor('hints', new AbortController().signal));
        },
      },
    ];
  });
}
