// The requests of a host about a running conversation. None of them decides about permission: files, resources and
// tools are reached by calls, which take the path of every call.
import type { Effort } from '../../contract/model.js';
import { type PermissionMode, permissionModes } from '../../contract/permission.js';
import { isObject } from '../../platform/is-object.js';
import { effortOfTokens } from '../host-flags.js';
import type { Line } from './control-channel.js';
import { hostCalls } from './host-calls.js';
import type { HostHooks } from './host-hooks.js';
import type { HostOptions, HostParts } from './host-options.js';
import { type RequestHandler, RequestRefused } from './host-requests.js';
import type { HostServerLinks } from './host-servers.js';
import { aboutSession } from './host-session-facts.js';
import { hostTasks } from './host-tasks.js';
import type { IdleWork } from './idle-work.js';
import { switchModel } from './model-switch.js';
import type { PromptChanges } from './prompt-changes.js';
import type { SessionTotals } from './session-totals.js';

export interface HostPort {
  options: HostOptions;
  /** Once the conversation is set up. */
  parts: Promise<HostParts>;
  links: HostServerLinks;
  hooks: HostHooks;
  changes: PromptChanges;
  idle: IdleWork;
  totals: SessionTotals;
  /** Returns why the mode is not available. */
  setMode(mode: PermissionMode): string | undefined;
  notice(text: string): void;
  system(subtype: string, facts: Line): void;
}

/**
 * Requests that may take long, or that need answers of the host to be carried out: the reader of its lines does not wait
 * for them.
 */
export const detached: ReadonlySet<string> = new Set([
  ...['mcp_call', 'mcp_read_resource', 'mcp_set_servers', 'mcp_reconnect', 'mcp_toggle', 'set_model', 'read_file'],
  ...['seed_read_state', 'file_suggestions', 'rewind_files', 'stop_task', 'get_task_output', 'reload_skills'],
]);

export function hostRequests(port: HostPort): Readonly<Record<string, RequestHandler>> {
  const { options } = port;
  return {
    set_permission_mode: async ({ mode }) => {
      await port.parts;
      const wanted = permissionModes.find((known) => known === mode);
      if (!wanted) {
        throw new RequestRefused(
          `"mode" must be one of ${permissionModes.join(', ')}, but was ${JSON.stringify(mode)}.`,
        );
      }
      const refused = port.setMode(wanted);
      if (refused !== undefined) throw new RequestRefused(refused);
      return { mode: wanted };
    },
    set_model: async ({ model }) => {
      if (model !== undefined && model !== null && typeof model !== 'string') {
        throw new RequestRefused(`"model" must be the name of a model, but was ${JSON.stringify(model)}.`);
      }
      return await switchModel(port, model === 'default' ? undefined : (model ?? undefined));
    },
    set_max_thinking_tokens: async ({ max_thinking_tokens: tokens }) => {
      if (tokens !== undefined && tokens !== null && !(typeof tokens === 'number' && tokens >= 0)) {
        throw new RequestRefused(`"max_thinking_tokens" must be a number, but was ${JSON.stringify(tokens)}.`);
      }
      const effort: Effort | undefined = typeof tokens === 'number' ? effortOfTokens(tokens) : undefined;
      await options.chooseEffort(effort);
      return { effort: effort ?? null };
    },
    apply_flag_settings: async ({ settings }) => await applySettings(port, settings),
    rename_session: async ({ title }) => {
      if (typeof title !== 'string' || title.trim() === '') throw new RequestRefused('"title" must be a text.');
      const { agent } = await port.parts;
      if (!agent.rename(title)) throw new RequestRefused('This session is not saved, so it has no title.');
      return { title };
    },
    reload_skills: async () => {
      const { agent } = await port.parts;
      const skills = (await agent.commands()).filter(({ kind }) => kind === 'skill');
      return { skills: skills.map(({ name, description, argumentHint }) => ({ name, description, argumentHint })) };
    },
    reload_output_styles: () => {
      throw new RequestRefused('Output styles are read when a session starts. Start the session again with resume.');
    },
    reload_plugins: () => {
      throw new RequestRefused(
        'Plugins are loaded when a session starts. Start the session again with resume to load them.',
      );
    },
    register_repo_root: async ({ directory }) => {
      if (typeof directory !== 'string') throw new RequestRefused('"directory" must be a path.');
      (await port.parts).agent.engine.addDirectory(directory);
      return {};
    },
    set_has_subscribers: () => ({}), // the lines are the same, whether anybody looks at them or not
    set_color: () => {
      throw new RequestRefused('A session has no colour here.');
    },
    update_settings: async ({ source, settings }) => await updateSettings(port, source, settings),
    ...aboutSession(port),
    ...hostTasks(port),
    ...hostCalls(port),
  };
}

/** The settings that can change during a conversation. The others need another start. */
async function applySettings(port: HostPort, settings: unknown): Promise<Line> {
  if (!isObject(settings)) throw new RequestRefused('"settings" must be an object.');
  const { model, effortLevel, ...others } = settings;
  const refused = Object.keys(others).filter((name) => others[name] !== null && others[name] !== undefined);
  if (refused.length > 0) {
    throw new RequestRefused(
      `These settings can't change during a conversation: ${refused.join(', ')}. Give them with --settings at the start. Nothing was changed.`,
    );
  }
  if (effortLevel !== undefined) await port.options.chooseEffort(effortOf(effortLevel));
  if (typeof model === 'string' || model === null) await switchModel(port, model ?? undefined);
  return {};
}

function effortOf(level: unknown): Effort | undefined {
  if (level === null) return undefined;
  const known: ReadonlyArray<[string, Effort]> = [
    ['low', 'low'],
    ['medium', 'medium'],
    ['high', 'high'],
    ['xhigh', 'max'],
    ['max', 'max'],
  ];
  const found = known.find(([name]) => name === level);
  if (found) return found[1];
  throw new RequestRefused(`"effortLevel" must be one of ${known.map(([name]) => name).join(', ')}.`);
}

async function updateSettings({ parts }: HostPort, source: unknown, settings: unknown): Promise<Line> {
  if (source !== 'localSettings' && source !== 'userSettings') {
    throw new RequestRefused('"source" must be localSettings or userSettings.');
  }
  if (!isObject(settings)) throw new RequestRefused('"settings" must be an object.');
  const { mayWrite } = await import('./written-settings.js');
  const guarded = Object.keys(settings).filter((name) => !mayWrite(name));
  if (guarded.length > 0) {
    throw new RequestRefused(
      `These settings decide what calls may do or what is run, or are unknown, so a host does not write them: ${guarded.join(', ')}. A person sets them with helve config set. Nothing was changed.`,
    );
  }
  const { editSettings } = await import('../../settings/edit-file.js');
  const { session } = (await parts).agent;
  const scope = source === 'localSettings' ? 'local' : 'user';
  for (const [name, value] of Object.entries(settings)) {
    await editSettings(scope, { path: [name], value }, { root: session.root, env: process.env });
  }
  return {};
}
