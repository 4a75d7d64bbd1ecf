// The child agents of one session. The root session and all child sessions share a `Family`.

import type { AgentReport, AgentRequest, ChildAgents, StartedAgent } from '../../contract/agents.js';
import type { AgentHappening } from '../../contract/event.js';
import { ToolFailure } from '../../contract/failure.js';
import type { Model } from '../../contract/model.js';
import { ModelFailure } from '../../contract/model.js';
import { abortable } from '../../platform/abortable.js';
import { randomHex } from '../../platform/crypto.js';
import { clause } from '../../platform/text/clause.js';
import { AGENT_TOOL } from '../../tools/roles.js';
import { agentFolder } from '../store/session-folder.js';
import { type AgentType, findType, mayStart, namesOf } from './agent-types.js';
import { Child, type ChildMemory } from './child.js';
import { keptFacts } from './child-store.js';
import { converse } from './converse.js';
import type { Family, Parent } from './family.js';
import { grantedTools } from './granted-tools.js';

const MAX_DEPTH = 3; // below this depth, agents do their tasks themselves
const SHORT_NAMES = ['sonnet', 'opus', 'haiku']; // aliases that callers may use with any provider

interface Plan {
  type: AgentType;
  tools: readonly string[];
  resumed?: { id: string; description: string; memory?: ChildMemory | undefined };
}

export class SessionAgents implements ChildAgents {
  readonly #family: Family;
  readonly #parent: Parent;
  readonly #started = new Map<string, Child>();
  /** Resolves once the agent has ended and its parent was notified. */
  readonly #running = new Map<Child, Promise<void>>();
  #emit: (happening: AgentHappening) => void = () => {};
  /** Whether there are reminders about ended agents. */
  #hasNews = false;

  constructor(family: Family, parent: Parent) {
    this.#family = family;
    this.#parent = parent;
  }

  /** Sets the listener for events of child agents for the current run; undefined after its end. */
  listen(emit: ((happening: AgentHappening) => void) | undefined): void {
    this.#emit = emit ?? (() => {});
  }

  get all(): readonly StartedAgent[] {
    return [...this.#started.values()];
  }

  find(id: string): StartedAgent | undefined {
    return this.#started.get(id);
  }

  async check(request: AgentRequest, tool: string): Promise<undefined | { ask: string }> {
    const { type } = await this.#plan(request);
    const { decide } = this.#parent.environment(() => {});
    const { prompt, description } = request;
    // A rule may use another name of the type than the caller, and the caller may omit it for a resumed agent.
    const answers = namesOf(type)
      .filter((name) => tool !== AGENT_TOOL || name !== request.type) // that name was decided with the call
      .map((name) => decide({ tool: AGENT_TOOL, input: { description, prompt, subagent_type: name }, effects: [] }));
    const denied = answers.find(({ behavior }) => behavior === 'deny');
    if (denied) {
      throw new ToolFailure(`${tool} was not run: ${clause(denied.reason)}.`, {
        advice: 'Do not look for another way to do the same; ask the user or go on without it.',
        kind: 'permission_denied',
      });
    }
    const asked = answers.find(({ behavior }) => behavior === 'ask');
    return asked && { ask: asked.reason };
  }

  async start(request: AgentRequest, call: { callId: string; signal: AbortSignal }): Promise<StartedAgent> {
    const { type, tools, resumed } = await this.#plan(request);
    const named = request.model ?? type.model;
    const { model, notes } = await this.#modelFor(named === 'inherit' ? undefined : named);
    const id = resumed?.id ?? `a${randomHex(4)}`;
    const before = this.#started.get(id);
    if (before && !before.report) throw stillAtWork(id); // started by another call of the same message
    const limits = this.#family.limitsOf(type);
    const child = new Child({
      id,
      type: type.name,
      description: request.description,
      inBackground: request.inBackground,
      callId: call.callId,
      notes,
      model,
    });
    child.memory = resumed?.memory; // until the agent has its own
    this.#started.set(id, child);
    const { session } = this.#parent;
    const stop = (): void => child.stop();
    call.signal.addEventListener('abort', stop, { once: true });
    if (call.signal.aborted) stop();
    const takeBack = request.inBackground
      ? session.whileRunning(stop, `the agent ${id} (${request.description})`)
      : undefined;
    const work = this.#family.slotsAt(this.#parent.depth);
    const talk = () =>
      converse({
        family: this.#family,
        parent: this.#parent,
        child,
        type,
        tools,
        model,
        limits,
        prompt: request.prompt,
        isResumed: resumed !== undefined,
        memory: resumed?.memory,
        isolation: request.isolation ?? type.isolation,
        worktreeEnd: request.worktreeEnd,
        agentsOf: (parent) => new SessionAgents(this.#family, parent),
      });
    const running = child
      .run(
        (signal, follow) => work.run(() => follow(talk()), signal),
        (happening) => this.#emit(happening),
      )
      .then((report) => {
        call.signal.removeEventListener('abort', stop);
        takeBack?.();
        this.#reportEnd(child, report);
      });
    this.#running.set(child, running);
    void running.finally(() => this.#running.delete(child));
    return child;
  }

  /**
   * In a session without a person, who could ask later, the model may not end before it has the results of its agents in the
   * background. Resolves once there is a result to report, or nothing to wait for.
   */
  async beforeEnd(signal: AbortSignal): Promise<string | undefined> {
    const { session } = this.#parent;
    if (session.interactive) return undefined;
    const atWork = [...this.#running].filter(([child]) => child.inBackground).map(([, running]) => running);
    const isUntold = this.#hasNews && session.hasReminders;
    if (!isUntold && atWork.length === 0) return undefined;
    if (!isUntold) {
      const isAborted = await abortable(() => Promise.race(atWork), signal).then(
        () => false,
        () => true,
      );
      if (isAborted) return undefined;
    }
    this.#hasNews = false;
    return '[Work that you left in the background has ended. See below, then go on, or say in a sentence that all is done.]';
  }

  /** Resolves once agents that were stopped, for example by an interrupt, have ended. */
  async stopped(): Promise<void> {
    await Promise.all([...this.#running].filter(([child]) => child.signal.aborted).map(([, running]) => running));
  }

  /** Ends all agents, and waits for them. */
  async end(): Promise<void> {
    for (const child of this.#started.values()) child.stop();
    await Promise.all(this.#running.values());
  }

  #reportEnd(child: Child, report: AgentReport): void {
    if (!child.inBackground || child.wasAwaited) return;
    this.#hasNews = true;
    const how = report.problem === undefined ? 'it is done' : `it stopped before it was done: ${report.problem}`;
    this.#parent.session.remind(
      `The background agent ${child.id} (${child.description}) has ended: ${how}. AgentOutput gives its answer.`,
    );
  }

  /** The agent to start. Throws `ToolFailure` if it can't be started. */
  async #plan(request: AgentRequest): Promise<Plan> {
    const { depth, session } = this.#parent;
    if (depth >= MAX_DEPTH) {
      throw new ToolFailure(
        `No agent was started: this one is ${depth} levels below the first, and agents go no deeper.`,
        { advice: 'Do the task yourself, with the other tools.', kind: 'check_refused' },
      );
    }
    const resumed = request.resume === undefined ? undefined : await this.#kept(request.resume);
    const { types } = await this.#family.types();
    const { type, problem } = findType(resumed?.type ?? request.type, types);
    if (!type) {
      throw new ToolFailure(`${problem}${this.#family.aboutUntrusted()} Nothing was started.`, {
        problem: `There is no agent type "${resumed?.type ?? request.type}".`,
        kind: 'invalid_input',
      });
    }
    const limiting = this.#parent.types?.find((above) => !mayStart(above, type));
    if (limiting) {
      throw new ToolFailure(
        `The agent type ${type.name} was not started: ${limiting.file ?? limiting.name} does not let the agent ${limiting.name}, or one below it, start it.${limiting.agents ? ` It may start: ${limiting.agents.join(', ')}.` : ''}`,
        { kind: 'check_refused' },
      );
    }
    const available = session.tools.all.filter(({ enabled }) => enabled).map(({ tool }) => tool.name);
    const { names, missing } = grantedTools(type, available);
    if (names.length === 0 && !type.brings) {
      throw new ToolFailure(
        `The agent type ${type.name} would have no tools, so nothing was started: ${missing.length > 0 ? `there is no ${missing.join(', ')} here` : 'all of them are withheld'}.`,
        { advice: 'Use another type.', kind: 'check_refused' },
      );
    }
    return { type, tools: names, ...(resumed && { resumed }) };
  }

  /** An agent that can be resumed, from this process or an earlier one. */
  async #kept(
    id: string,
  ): Promise<{ id: string; type: string; description: string; memory?: ChildMemory | undefined }> {
    const child = this.#started.get(id);
    if (child && !child.report) {
      throw stillAtWork(id);
    }
    if (child) return { id, type: child.type, description: child.description, memory: child.memory };
    const facts = await this.#factsOf(id);
    if (facts) return { id, ...facts };
    const known = [...this.#started.keys()];
    throw new ToolFailure(
      `There is no agent "${id}" to resume. ${known.length > 0 ? `There are: ${known.join(', ')}.` : 'None was started yet.'}`,
      { kind: 'invalid_input' },
    );
  }

  async #factsOf(id: string): Promise<{ type: string; description: string } | undefined> {
    const { session, agentId } = this.#parent;
    if (!this.#family.isKept || !/^[\w-]{1,64}$/.test(id)) return undefined;
    const header = await keptFacts(agentFolder(session.dataFolder, session.id, id)).catch(() => undefined);
    return header?.agent && header.agent.parent === agentId ? header.agent : undefined;
  }

  async #usualModel(): Promise<Model> {
    return this.#parent.model ?? (await this.#family.model(undefined));
  }

  async #modelFor(name: string | undefined): Promise<{ model: Model; notes: string[] }> {
    try {
      return { model: name === undefined ? await this.#usualModel() : await this.#family.model(name), notes: [] };
    } catch (error) {
      if (!(error instanceof ModelFailure) || name === undefined) throw error;
      if (!SHORT_NAMES.includes(name))
        throw new ToolFailure(`No agent was started: ${error.message}`, { cause: error });
      const model = await this.#usualModel();
      return { model, notes: [`There is no model "${name}" here, so ${model.name} was asked.`] };
    }
  }
}

const stillAtWork = (id: string): ToolFailure =>
  new ToolFailure(`The agent ${id} is still at work, so it can't be resumed.`, {
    advice: 'Wait for it with AgentOutput.',
    kind: 'check_refused',
  });
