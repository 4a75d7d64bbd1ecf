// Hooks that run in the host: each is a request to it, with the hook's id.
import { type HookCallback, type HookEvent, type HookOutput, hookEvents } from '../../contract/hook.js';
import type { HookCallbacks, HookGroup } from '../../contract/options.js';
import { readMatcher } from '../../hooks/match-hook.js';
import { meantEvent } from '../../hooks/odd-matchers.js';
import { randomId } from '../../platform/crypto.js';
import { isObject } from '../../platform/is-object.js';
import { messageOf } from '../../platform/message-of.js';
import type { ControlChannel, Line } from './control-channel.js';
import { RequestRefused } from './host-requests.js';

export class HostHooks {
  readonly #channel: ControlChannel;
  /** Filled when the host declares its hooks, before anything runs. */
  readonly callbacks: { [Event in HookEvent]?: HookGroup[] } = {};
  #registered = '';
  #hasBegun = false;

  /** Groups of the events that the connection to the host fires by itself. */
  readonly #ofHost = new Map<string, HookGroup[]>();
  readonly #tell: ((facts: { subtype: string } & Line) => void) | undefined;

  /** `tell`: is given the facts of each call of a hook, and of its end. */
  constructor(channel: ControlChannel, tell?: (facts: { subtype: string } & Line) => void) {
    this.#channel = channel;
    this.#tell = tell;
  }

  /** Calls the hooks of an event that concerns the host alone. Returns the reason of the first that objects. */
  async fire(event: FiredForHost, facts: Line): Promise<string | undefined> {
    const input = { ...facts, hook_event_name: event };
    for (const { hooks, timeout = 60 } of this.#ofHost.get(event) ?? []) {
      for (const hook of hooks) {
        const signal = AbortSignal.timeout(timeout * 1_000);
        // Typed by its event, which is not one of those that settings may name.
        const answer: unknown = await (hook as unknown as UntypedHook)(input, undefined, { signal }).catch(
          (error: unknown) => ({ decision: 'block', reason: `the hook failed (${messageOf(error)}).` }),
        );
        const { decision, reason, continue: goesOn, stopReason } = isObject(answer) ? answer : {};
        if (decision === 'block' || goesOn === false) return String(reason ?? stopReason ?? 'no reason was given.');
      }
    }
    return undefined;
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
      if (event) entries.push({ event, groups: this.#read(groups, event) });
      else if (isFiredForHost(name)) this.#ofHost.set(name, this.#read(groups, name));
      else if (isList(groups) && couldBlock.has(name)) throw new RequestRefused(wouldNotGuard(name));
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

  #read(groups: unknown, event: string): HookGroup[] {
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
        hooks: hookCallbackIds.map((id: string) => this.#callback(id, event)),
        onFailure: 'block', // if a guard can't be asked, for example because the host is gone, nothing is allowed
      };
    });
  }

  #callback(callbackId: string, event: string): HookCallback {
    return async (input, toolUseId, { signal }) => {
      const request = { subtype: 'hook_callback', callback_id: callbackId, input, tool_use_id: toolUseId ?? null };
      const told = { hook_id: randomId(), hook_name: event, hook_event: event };
      this.#tell?.({ subtype: 'hook_started', ...told });
      try {
        const output = await this.#channel.ask(request, signal);
        this.#tell?.({ subtype: 'hook_response', ...told, ...ended(JSON.stringify(output ?? {}), 'success') });
        return output as HookOutput | undefined; // its reader validates all fields
      } catch (error) {
        const outcome = signal.aborted ? 'cancelled' : 'error';
        this.#tell?.({ subtype: 'hook_response', ...told, ...ended('', outcome), stderr: messageOf(error) });
        throw error;
      }
    };
  }
}

type UntypedHook = (input: Line, toolUseId: undefined, at: { signal: AbortSignal }) => Promise<unknown>;

const ended = (output: string, outcome: string) => ({ output, stdout: output, stderr: '', outcome });

const isList = (groups: unknown): boolean => Array.isArray(groups) && groups.length > 0;

/** Events that the connection to the host fires: they are about what a host does or sees. */
const firedForHost = ['PreModelSwitch', 'PostModelSwitch', 'TaskCreated', 'TaskCompleted'] as const;

export type FiredForHost = (typeof firedForHost)[number];

const isFiredForHost = (name: string): name is FiredForHost => firedForHost.some((event) => event === name);

/** Events whose hooks could keep something from happening that happens here, and that are never fired. */
const couldBlock: ReadonlySet<string> = new Set(['ConfigChange', 'Elicitation', 'ElicitationResult']);

export const neverFired = (event: string): string =>
  `Helve has no hook event ${event}: what it is about does not happen here, so its hooks are never called.`;

const wouldNotGuard = (name: string): string =>
  `Helve does not call hooks of the event ${name}, and they could keep something from happening. Leave them out to go on without them.`;

/** Undefined for an event that Helve does not have. A misspelled one is refused, since it was meant to be called. */
function eventOf(name: string): HookEvent | undefined {
  const event = hookEvents.find((known) => known === name);
  if (event) return event;
  const meant = meantEvent(name);
  if (meant === undefined) return undefined;
  throw new RequestRefused(`There is no hook event "${name}", so its hooks would never be called. Use "${meant}".`);
}
