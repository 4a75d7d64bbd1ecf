import { relative } from 'node:path';
import type { ChildAgents } from '../../contract/agents.js';
import type { AgentHappening } from '../../contract/event.js';
import type { Session } from '../session.js';
import { holdsAgents } from './agent-places.js';
import { type AgentType, builtInTypes } from './agent-types.js';
import type { FamilyOptions } from './family.js';
import type { SessionAgents } from './session-agents.js';

/** The child agents of a root session. Their code is loaded with the first one, or if there are custom types. */
export interface RootAgents extends ChildAgents {
  /** Sets the listener for events of child agents for the current run; undefined after its end. */
  listen(emit: ((happening: AgentHappening) => void) | undefined): void;
  /** Announces custom agent types to the model, once; returns the problems of their files. */
  announce(session: Session): Promise<readonly string[]>;
  /** The names of all types; custom types as they were when they were announced. */
  readonly names: readonly string[];
  /** To be called when the announcement has left the model's context. */
  announceAgain(): void;
  /** All types of agents. */
  types(): Promise<readonly AgentType[]>;
  beforeEnd(signal: AbortSignal): Promise<string | undefined>;
  /** Resolves once the agents that were stopped have ended. */
  stopped(): Promise<void>;
  end(): Promise<void>;
}

export function lazyAgents(options: FamilyOptions): RootAgents {
  let loaded: { agents: SessionAgents; family: import('./family.js').Family } | undefined;
  let emit: ((happening: AgentHappening) => void) | undefined;
  let names = builtInTypes.map(({ name }) => name);
  let isAnnounced = false;
  let isUntrustedReported = false;
  const load = async () => {
    const [{ Family }, { SessionAgents }] = await Promise.all([import('./family.js'), import('./session-agents.js')]);
    if (loaded) return loaded;
    const { engine } = options;
    const family = new Family(options, (happening) => emit?.(happening));
    const types = options.mainType && { types: [options.mainType] };
    const parent = { session: engine.session, depth: 0, environment: engine.environment, ...types };
    loaded = { family, agents: new SessionAgents(family, parent) };
    loaded.agents.listen(emit);
    return loaded;
  };
  return {
    check: async (request, tool) => await (await load()).agents.check(request, tool),
    start: async (request, call) => await (await load()).agents.start(request, call),
    find: (id) => loaded?.agents.find(id),
    get all() {
      return loaded?.agents.all ?? [];
    },
    listen(listener) {
      emit = listener;
      loaded?.agents.listen(listener);
    },
    async announce(session) {
      if (isAnnounced) return [];
      isAnnounced = true;
      const waiting = isUntrustedReported ? [] : options.untrustedFolders().filter(holdsAgents);
      const untrusted = waiting.length === 0 ? [] : [untrustedNotice(waiting, session.root)];
      isUntrustedReported ||= waiting.length > 0;
      const ofPlugins = options.plugins.some(({ files }) => files.length > 0);
      if (!options.given?.length && !ofPlugins && !options.folders().some(holdsAgents)) return untrusted;
      const { family } = await load();
      const { announcement } = await import('./family.js');
      const { types, problems } = await family.types();
      names = types.map(({ name }) => name);
      const text = announcement(types);
      if (text !== undefined) session.remind(text);
      return [...untrusted, ...family.unreported(problems)];
    },
    get names() {
      return names;
    },
    announceAgain() {
      isAnnounced = false;
    },
    types: async () => (await (await load()).family.types()).types,
    beforeEnd: async (signal) => await loaded?.agents.beforeEnd(signal),
    async stopped() {
      await loaded?.agents.stopped();
    },
    async end() {
      await loaded?.agents.end();
    },
  };
}

function untrustedNotice(folders: readonly string[], root: string): string {
  const named = folders.map((folder) => relative(root, folder)).join(', ');
  return `Agents of this folder are not used, because it is not trusted: ${named}. To look at it and trust it: helve config trust; for one run: --trust.`;
}
