import { Commands } from '../agent/commands/commands.js';
import type { RunOwnCall } from '../agent/commands/expand-command.js';
import type { Session } from '../agent/session.js';
import type { SessionPolicy } from '../agent/session-policy.js';
import type { AgentHappening } from '../contract/event.js';
import type { ToolResultBlock } from '../contract/message.js';
import { randomId } from '../platform/crypto.js';
import { isOn } from '../settings/settings.js';
import { ownCallTools } from '../tools/index.js';
import type { ToolCaller } from './call-tools.js';
import type { Notices } from './notices.js';
import { pluginCommands } from './plugin-parts.js';
import type { ResolvedOptions } from './resolve-options.js';
import type { ConnectedServers } from './servers.js';

interface CommandParts {
  resolved: ResolvedOptions;
  session: Session;
  policy: SessionPolicy;
  servers: ConnectedServers;
  notices: Notices;
  caller: ToolCaller;
}

/** Commands and skills of a session. */
export interface SessionCommands {
  /** Undefined unless the option `commands` is set. */
  commands: Commands | undefined;
  /** Removes the rules and the model that commands have set for a prompt. */
  endCommands(): void;
}

export function createCommands(parts: CommandParts): SessionCommands {
  const { resolved, session, policy, servers, notices, caller } = parts;
  const { options, root, home, dataFolder, env, toolSet, settings, isTrusted } = resolved;
  if (!options.commands || toolSet === 'simple') return { commands: undefined, endCommands: () => policy.endGrants() };
  const { client } = servers;
  const { useModel } = options;
  let restoreModel: (() => void) | undefined;
  const commands = new Commands({
    root,
    home,
    dataFolder,
    env,
    sources: options.sources,
    skills: options.skills,
    sessionId: () => session.id,
    isTrusted,
    mayRead: (real) => policy.reader()(real),
    list: (listings) => session.tools.setListings(listings),
    grant: (lists, by) => policy.grant(lists, by),
    withoutBroad: (rules) => policy.withoutBroad(rules),
    isManagedOnly: () => isOn('allowManagedPermissionRulesOnly', settings()),
    allowReading: (folder) => policy.allowReading(folder),
    run: ownCalls(session, caller),
    ...(useModel && {
      useModel: async (name) => {
        restoreModel = await useModel(name);
      },
    }),
    notify: (text) => notices.say(text),
    ...(options.plugins && { plugins: pluginCommands(options.plugins) }),
    ...(options.unusedPlugins && { unusedPlugins: options.unusedPlugins }),
    prompts: {
      now: () => client.prompts(),
      waitFor: (command, signal) =>
        client.settled({
          signal,
          isEnough: () => client.prompts().some((prompt) => prompt.command === command),
        }),
      get: (prompt, args, signal) => client.getPrompt(prompt, args, { signal, session }),
    },
  });
  return {
    commands,
    endCommands() {
      policy.endGrants();
      restoreModel?.();
      restoreModel = undefined;
    },
  };
}

/** Calls on behalf of a command. They are decided, recorded and reported like those of the model. */
const ownCalls =
  (session: Session, caller: ToolCaller): RunOwnCall =>
  async (what, signal) => {
    const [name, input] =
      'shell' in what ? [ownCallTools.shell, { command: what.shell }] : [ownCallTools.file, { file_path: what.file }];
    let refused: string | undefined;
    const onEvent = (event: AgentHappening): void => {
      const isRefused = event.type === 'tool_result' && event.failure !== undefined && event.failure !== 'exception';
      if (isRefused) refused = textOf(event.result.content);
    };
    const [result] = await caller.call([{ id: session.claimCallId(randomId()), name, input }], { signal, onEvent });
    return { content: result?.content ?? '', ...(refused !== undefined && { refused }) };
  };

const textOf = (content: ToolResultBlock['content']): string =>
  typeof content === 'string' ? content : content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
