// The agent options of flags and of what a host says in `initialize`.
import { personalAgentFolders, projectAgentFolders } from '../../agent/children/agent-places.js';
import { type AgentType, builtInTypes, findType } from '../../agent/children/agent-types.js';
import type { FullAgentOptions } from '../../compose/options.js';
import { pluginAgents } from '../../compose/plugin-parts.js';
import { dataFolderOf, homeFolder } from '../../platform/files/paths.js';
import { type CliEngineOptions, whyNoBypass } from '../engine-options.js';
import type { RunFlags } from '../run-flags.js';
import { UsageProblem } from '../usage-problem.js';
import { type HostSetup, noSetup, readAgents } from './host-setup.js';

export async function resolveSetup(
  setup: HostSetup = noSetup,
  flags: Pick<RunFlags, 'agent' | 'agents' | 'systemPrompt' | 'appendSystemPrompt' | 'maxTurns' | 'engine'>,
  options: CliEngineOptions,
): Promise<Partial<FullAgentOptions>> {
  const agentTypes = [...setup.agents, ...readAgents(flags.agents)];
  const main = flags.agent === undefined ? undefined : await mainType(flags.agent, agentTypes, options);
  const system = main?.prompt ?? setup.systemPrompt ?? flags.systemPrompt;
  const appended = setup.appendSystemPrompt ?? flags.appendSystemPrompt;
  const switches = {
    ...options.toolSwitches,
    ...Object.fromEntries(setup.replacedTools.map((name) => [name, false])),
  };
  const { ask, deny } = setup.policies;
  const rules = options.permissions ?? {};
  const turns = [flags.maxTurns, main?.maxTurns].filter((count) => count !== undefined);
  return {
    ...(main && { mainType: main, ...modeOf(main, agentTypes.includes(main), flags, options) }),
    ...(main?.brings && { tools: await main.brings() }),
    ...(turns.length > 0 && { maxTurns: Math.min(...turns) }),
    ...((ask.length > 0 || deny.length > 0) && {
      permissions: { ...rules, ask: [...(rules.ask ?? []), ...ask], deny: [...(rules.deny ?? []), ...deny] },
    }),
    ...(agentTypes.length > 0 && { agentTypes }),
    ...(system !== undefined && { systemPrompt: system }),
    ...(appended !== undefined && { appendSystemPrompt: appended }),
    ...(setup.withoutFacts && { withoutFacts: true }),
    ...(setup.skills && { skills: setup.skills }),
    ...(Object.keys(switches).length > 0 && { toolSwitches: switches }),
    ...(Object.keys(setup.servers).length > 0 && { mcpServers: { ...options.mcpServers, ...setup.servers } }),
  };
}

/** The type of agent that the conversation itself is held with. */
async function mainType(
  name: string,
  given: readonly AgentType[],
  { settings, env, sources, plugins = [] }: CliEngineOptions,
) {
  const { readAgentTypes } = await import('../../agent/children/agent-files.js');
  const uses = (source: 'user' | 'project'): boolean => sources?.includes(source) ?? true;
  const home = homeFolder();
  const dataFolder = dataFolderOf({ env });
  const { types } = await readAgentTypes(
    [
      ...(settings.current.trust.state === 'trusted' && uses('project') ? projectAgentFolders(process.cwd()) : []),
      ...(uses('user') ? personalAgentFolders({ home, dataFolder, env }) : []),
    ],
    pluginAgents(plugins),
  );
  const { type, problem } = findType(name, [...given, ...types, ...builtInTypes]);
  if (!type) throw new UsageProblem(`--agent: ${problem}`);
  return type;
}

/**
 * The mode in which the conversation begins. The mode of the type limits it in any case; only a type of the host or of
 * `--agents` may also allow more than the settings do, and a flag for the mode comes before it.
 */
function modeOf(
  { mode }: AgentType,
  isGiven: boolean,
  { engine }: Pick<RunFlags, 'engine'>,
  { settings, env }: CliEngineOptions,
): Pick<FullAgentOptions, 'permissionMode'> {
  const isChosen = engine['permission-mode'] !== undefined || engine['dangerously-skip-permissions'] === true;
  if (mode === undefined || isChosen || !(isGiven || mode === 'plan')) return {};
  const problem = mode === 'bypassPermissions' ? whyNoBypass(settings.current, env) : undefined;
  if (problem !== undefined) throw new UsageProblem(problem);
  return { permissionMode: mode };
}
