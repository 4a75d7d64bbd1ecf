// Requests of a host that only look: what a conversation has, may do and has used.
import type { FullAgent } from '../../compose/create-agent.js';
import { hookEvents } from '../../contract/hook.js';
import type { Rule } from '../../permissions/rule.js';
import type { Settings } from '../../settings/settings.js';
import { contextFacts } from './context-facts.js';
import type { Line } from './control-channel.js';
import type { HostPort } from './host-handlers.js';
import type { RequestHandler } from './host-requests.js';
import { costFacts, modelUsage } from './result-facts.js';

export function aboutSession({ options, parts, hooks, totals }: HostPort): Readonly<Record<string, RequestHandler>> {
  const begun = performance.now();
  return {
    get_settings: () => ({ ...settingsFacts(options.settings()), applied: options.applied() }),
    get_context_usage: async () => {
      const { agent, model } = await parts;
      return contextFacts(agent, model.chosen.name, totals);
    },
    get_binary_version: () => ({ version: options.version, name: 'helve' }),
    list_models: () => ({ models: options.models() }),
    list_permission_rules: async () => {
      const { engine, session } = (await parts).agent;
      return {
        state: {
          rules: engine.rules().map(ruleFacts),
          workspaceDirectories: session.workspace
            .filter((path) => path !== session.root)
            .map((path) => ({ path, source: directorySource(path, options.settings()) })),
          originalCwd: session.root,
          managedOnly: isManaged(options.settings(), 'allowManagedPermissionRulesOnly'),
        },
      };
    },
    get_session_cost: async () => {
      const { used } = (await parts).agent.session;
      return { ...costFacts(used.costUsd), modelUsage: modelUsage({ models: used.list() }) };
    },
    get_usage: async () => {
      const { used } = (await parts).agent.session;
      return {
        session: {
          ...costFacts(used.costUsd),
          total_api_duration_ms: Math.round(totals.modelMs),
          total_duration_ms: Math.round(performance.now() - begun),
          total_lines_added: totals.linesAdded,
          total_lines_removed: totals.linesRemoved,
          model_usage: modelUsage({ models: used.list() }),
        },
        subscription_type: null,
        rate_limits_available: false,
        rate_limits: null,
        behaviors: null,
      };
    },
    get_hooks_listing: () => hooksListing(options.settings(), hooks.callbacks),
    mcp_status: async () => {
      const { engine, session } = (await parts).agent;
      const tools = session.tools.all.filter(({ source }) => source === 'mcp');
      const used = engine.servers.states().map(({ name, status, detail }) => ({
        name,
        status,
        ...(detail !== undefined && { error: detail }),
        tools: tools.filter(({ server }) => server === name).map(({ tool }) => ({ name: tool.name })),
      }));
      const unused = engine.servers.unused.map((name) => ({ name, status: 'disabled', tools: [] }));
      return { mcpServers: [...used, ...unused] };
    },
  };
}

/** Where it was given: in a settings file, by a flag or during the session. */
function directorySource(path: string, { additionalDirectories }: Settings): string {
  const setting = additionalDirectories.find(({ value }) => value === path);
  return setting ? (ruleSources[setting.origin.kind] ?? setting.origin.kind) : 'session';
}

const ruleSources: Readonly<Record<string, string>> = {
  managed: 'policySettings',
  flag: 'flagSettings',
  local: 'localSettings',
  project: 'projectSettings',
  user: 'userSettings',
};

const ruleFacts = ({ text, list, source, trusted }: Rule): Line => ({
  behavior: list,
  rule: text,
  source: sourceOf(source.file),
  editability: 'readonly',
  ...(!trusted && { notInEffect: true }),
});

function sourceOf(file: string): string {
  if (file.endsWith('settings.local.json')) return 'localSettings';
  if (file.startsWith('~') || file.startsWith('/')) return 'userSettings';
  if (file.endsWith('settings.json')) return 'projectSettings';
  return file.startsWith('--') ? 'flagSettings' : 'session';
}

/** Without what may hold secrets. */
const SECRET_KEYS = /^(?:env|mcpServers|apiKeyHelper|hooks)$/;

function settingsFacts({ entries }: Settings): Line {
  const shown = entries.filter(({ key }) => !SECRET_KEYS.test(key));
  const effective = nested(shown.filter(({ ignored }) => ignored === undefined));
  const kinds = [...new Set(shown.map(({ origin }) => origin.kind))];
  const sources = kinds.map((kind) => ({
    source: ruleSources[kind] ?? kind,
    settings: nested(shown.filter(({ origin }) => origin.kind === kind)),
  }));
  return { effective, sources };
}

function nested(entries: Settings['entries']): Line {
  const lists = new Map<string, unknown[]>();
  const single = new Map<string, unknown>();
  for (const { key, name, value } of entries) {
    if (key.startsWith('permissions.') && key !== 'permissions.defaultMode') {
      lists.set(key, [...(lists.get(key) ?? []), value]);
    } else single.set(name === undefined ? key : `${key}.${name}`, value);
  }
  const result: Record<string, Record<string, unknown> | unknown> = {};
  for (const [key, value] of [...lists, ...single]) {
    const [head = '', ...rest] = key.split('.');
    if (rest.length === 0) result[head] = value;
    else result[head] = { ...(result[head] as object | undefined), [rest.join('.')]: value }; // only ever set here
  }
  return result;
}

/** Whether managed settings switch it on. */
const isManaged = ({ entries }: Settings, wanted: string): boolean =>
  entries.some(({ key, value, origin }) => key === wanted && value === true && origin.kind === 'managed');

function hooksListing(
  settings: Settings,
  callbacks: Readonly<Partial<Record<string, ReadonlyArray<{ matcher?: string }>>>>,
): Line {
  const written = settings.hooks.map(({ event, matcher, source }) => ({ event, matcher, source, type: 'command' }));
  const ofHost = Object.entries(callbacks).flatMap(([event, groups = []]) =>
    groups.map(({ matcher = '' }) => ({ event, matcher, source: 'host', type: 'callback' })),
  );
  const all = [...written, ...ofHost].map((hook) => ({
    ...hook,
    sourceLabel: hook.source,
    displayText: `${hook.event} ${hook.matcher}`.trim(),
    commandText: '',
    contentLabel: hook.type,
  }));
  const events = hookEvents.map((name) => ({
    name,
    summary: name,
    supportsMatcher: true,
    hookCount: all.filter(({ event }) => event === name).length,
  }));
  return {
    events,
    hooks: all,
    eventCatalog: events.map(({ hookCount: _, ...event }) => event),
    policy: {
      disabledByPolicy: isManaged(settings, 'disableAllHooks'),
      managedOnly: isManaged(settings, 'allowManagedHooksOnly'),
      pluginOnly: false, // there is no such setting
      allDisabled: settings.entries.some(
        ({ key, value, ignored }) => key === 'disableAllHooks' && value === true && !ignored,
      ),
      policyHookCount: settings.entries.filter(({ key, origin }) => key === 'hooks' && origin.kind === 'managed')
        .length,
    },
  };
}

/** What a conversation begins with: its commands and agents, and what of the set-up is in force. */
export async function begunWith(agent: FullAgent): Promise<Line> {
  return {
    pid: process.pid,
    hooks_applied: true,
    hook_on_failure_supported: false,
    plugins_applied: false,
    commands: (await agent.commands()).map(({ kind: _, file: __, ...command }) => command),
    agents: (await agent.agentTypes()).map(({ name, description, model }) => ({ name, description, model })),
  };
}
