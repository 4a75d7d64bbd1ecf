// Hooks that run in the host: each is a request to it, with the hook's id.
import { type HookCallback, type HookEvent, type HookOutput, hookEvents } from '../../contract/hook.js';
import type { HookCallbacks, HookGroup } from '../../contract/options.js';
import { readMatcher } from '../../hooks/match-hook.js';
import { meantEvent } from '../../hooks/odd-matchers.js';
import { isObject } from '../../platform/is-object.js';
import type { ControlChannel } from './control-channel.js';
import { RequestRefused } from './host-requests.js';

export class HostHooks {
  readonly #channel: ControlChannel;
  /** Filled when the host declares its hooks, before anything runs. */
  readonly callbacks: { [Event in HookEvent]?: HookGroup[] } = {};
  #registered = '';
  #hasBegun = false;

  constructor(channel: ControlChannel) {
    this.#channel = channel;
  }

  /** The program's own hooks come first. */
  add(hooks: HookCallbacks): void {
    // Each is called with the input of the event that it is under.
    for (const event of hookEvents) this.#add(event, (hooks[event] ?? []) as readonly HookGroup[]);
  }

  /** The first run starts: from now on hooks can't be added. */
  begin(): void {
    this.#hasBegun = true;
  }

  /**
   * Registers the `hooks` of an `initialize` request and returns the events that Helve never fires. Hosts declare such
   * events together with their guards, so one of them must not disable the guards. An invalid group is refused: it may
   * be a guard.
   */
  register(hooks: unknown): readonly string[] {
    if (hooks === undefined || hooks === null) return [];
    if (!isObject(hooks)) throw new RequestRefused('"hooks" must be an object with a list for each event.');
    const unsupported: string[] = [];
    const entries: Array<{ event: HookEvent; groups: HookGroup[] }> = [];
    for (const [name, groups] of Object.entries(hooks)) {
      const event = eventOf(name);
      if (event) entries.push({ event, groups: this.#read(groups) });
      else unsupported.push(name);
    }
    const given = JSON.stringify(hooks);
    if (given === this.#registered || entries.every(({ groups }) => groups.length === 0)) return unsupported;
    if (this.#hasBegun || this.#registered !== '') {
      throw new RequestRefused('Hooks can be given once, before the first prompt.');
    }
    this.#registered = given;
    for (const { event, groups } of entries) this.#add(event, groups);
    return unsupported;
  }

  #add(event: HookEvent, groups: readonly HookGroup[]): void {
    if (groups.length > 0) this.callbacks[event] = [...(this.callbacks[event] ?? []), ...groups];
  }

  #read(groups: unknown): HookGroup[] {
    if (!Array.isArray(groups)) throw new RequestRefused('The hooks of an event must be a list.');
    return groups.map((group: unknown) => {
      const { matcher, hookCallbackIds, timeout } = isObject(group) ? group : {};
      if (!Array.isArray(hookCallbackIds) || !hookCallbackIds.every((id) => typeof id === 'string')) {
        throw new RequestRefused('Each entry of "hooks" must have "hookCallbackIds", a list of strings.');
      }
      const read = readMatcher(typeof matcher === 'string' ? matcher : '');
      if ('problem' in read) throw new RequestRefused(`The matcher of a hook can't be read: ${read.problem}`);
      return {
        ...(typeof matcher === 'string' && { matcher }),
        ...(typeof timeout === 'number' && timeout > 0 && { timeout }),
        hooks: hookCallbackIds.map((id: string) => this.#callback(id)),
        onFailure: 'block', // if a guard can't be asked, for example because the host is gone, nothing is allowed
      };
    });
  }

  #callback(callbackId: string): HookCallback {
    return async (input, toolUseId, { signal }) => {
      const request = { subtype: 'hook_callback', callback_id: callbackId, input, tool_use_id: toolUseId ?? null };
      const output = await this.#channel.ask(request, signal);
      return output as HookOutput | undefined; // its reader validates all fields
    };
  }
}

/** Undefined for an event that Helve does not have. A misspelled one is refused, since it was meant to be called. */
function eventOf(name: string): HookEvent | undefined {
  const event = hookEvents.find((known) => known === name);
  if (event) return event;
  const meant = meantEvent(name);
  if (meant === undefined) return undefined;
  throw new RequestRefused(`There is no hook event "${name}", so its hooks would never be called. Use "${meant}".`);
}
