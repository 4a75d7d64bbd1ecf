import type { ToolDefinition } from '../contract/model.js';
import type { Tool, ToolExposure, ToolListing } from '../contract/tool.js';
import type { DeferredTool, DescribeContext, ShortTool, ToolDirectory } from '../contract/tool-context.js';
import { messageOf } from '../platform/message-of.js';
import { isToolOfServer, mcpServerName, plainServer } from '../platform/text/mcp-names.js';
import { isPermitted, type ToolPoolOptions, whyWithheld } from './permitted-tools.js';
import { parametersOf, withParameters } from './tool-parameters.js';

export interface PooledTool {
  tool: Tool;
  source: 'builtin' | 'added' | 'mcp';
  /** The MCP server of the tool. */
  server?: string;
  enabled: boolean;
  /** Why it is not enabled, if known. */
  off?: string;
  /** Every call is refused, by a rule or by the tool itself: the tool is not offered to the model. */
  denied?: true;
}

/** The description and availability of an added tool, which may be asynchronous. */
interface SelfDescription {
  enabled: boolean;
  description: string;
  /** Why they could not be determined. */
  problem?: string;
}

/** The current tools and states of MCP servers. */
export interface FromServers {
  /** `denied`: a rule denies every call. `isHeldBack`: the tool waits for a person's approval, and refuses every call. */
  tools: ReadonlyArray<{ tool: Tool; server: string; denied?: boolean; isHeldBack?: boolean }>;
  states: ReadonlyArray<{ name: string; status: string; detail?: string }>;
}

/**
 * The tools of one session. Built-ins come first, then the added ones, then those of servers, each sorted by name; of tools
 * with the same name the first is used. The order and the bytes stay the same in each turn, since tools are at the front of
 * the prompt cache; tools that servers add later come last.
 */
export class ToolPool implements ToolDirectory {
  readonly #options: ToolPoolOptions;
  readonly #candidates: ReadonlyArray<Pick<PooledTool, 'tool' | 'source'>>;
  /** Assessed when they are first needed, which is long after the pool of an agent that waits was made. */
  #assessed: readonly PooledTool[] | undefined;
  #listings: Partial<Record<ToolListing, readonly string[]>> = {};
  #describing: DescribeContext | undefined;
  #denied: ReadonlySet<string> = new Set();
  #selfDescriptions: ReadonlyMap<Tool, SelfDescription> = new Map();
  #ready: Promise<string[]> | undefined;
  readonly #activated = new Set<string>();
  #fromServers: readonly PooledTool[] = [];
  #lent: readonly PooledTool[] = [];
  #all: { tools: readonly PooledTool[]; byName: ReadonlyMap<string, Tool> } | undefined;
  #servers: FromServers['states'] = [];
  #definitions: readonly ToolDefinition[] | undefined;

  constructor(options: ToolPoolOptions) {
    refuseTwins(options.added ?? []);
    const builtInNames = new Set(options.builtIn.map(({ name }) => name));
    this.#candidates = [
      ...options.builtIn.toSorted(byName).map((tool) => ({ tool, source: 'builtin' as const })),
      ...(options.added ?? [])
        .filter(({ name }) => !builtInNames.has(name))
        .toSorted(byName)
        .map((tool) => ({ tool, source: 'added' as const })),
    ];
    this.#options = options;
  }

  get #context(): DescribeContext {
    this.#describing ??= this.#contextFor(this.#candidates);
    return this.#describing;
  }

  get #own(): readonly PooledTool[] {
    this.#assessed ??= this.#candidates.map(({ tool, source }) => ({ tool, source, ...this.#availability(tool) }));
    return this.#assessed;
  }

  get #offered(): { tools: readonly PooledTool[]; byName: ReadonlyMap<string, Tool> } {
    if (!this.#all) {
      const tools = [...this.#own, ...this.#fromServers, ...this.#lent];
      this.#all = { tools, byName: callableByName(tools) };
    }
    return this.#all;
  }

  get #tools(): readonly PooledTool[] {
    return this.#offered.tools;
  }

  get #byName(): ReadonlyMap<string, Tool> {
    return this.#offered.byName;
  }

  /** Awaits tools whose description or `isEnabled` is asynchronous; until then they are off. Returns the failures. */
  ready(): Promise<string[]> {
    this.#ready ??= this.#awaitSelfDescriptions();
    return this.#ready;
  }

  /** Hides the tools that rules deny for every input. The definitions stay the same as long as the same tools are hidden. */
  hideDenied(isDenied: (name: string) => boolean): void {
    const denied = new Set(this.#candidates.flatMap(({ tool }) => (isDenied(tool.name) ? [tool.name] : [])));
    if (denied.size === this.#denied.size && denied.isSubsetOf(this.#denied)) return;
    this.#denied = denied;
    this.#reassess();
  }

  /** Sets the listings of tools; to be called before the first request, so that the definitions stay the same. */
  setListings(listings: Partial<Record<ToolListing, readonly string[]>>): void {
    this.#listings = listings;
    this.#reassess();
  }

  /** Adds a tool for one run, after all others. The returned function removes it. */
  lend(tool: Tool): () => void {
    if (this.#byName.has(tool.name)) {
      throw new TypeError(`There is a tool named "${tool.name}" already, so a call could mean either. Rename it.`);
    }
    const lent: PooledTool = { tool, source: 'added', enabled: true };
    this.#lent = [...this.#lent, lent];
    this.#changed();
    return () => {
      this.#lent = this.#lent.filter((each) => each !== lent);
      this.#changed();
    };
  }

  /** Sets the tools of servers. A tool whose definition was already sent is not deferred again. */
  setServers({ tools, states }: FromServers): void {
    this.#servers = states;
    const taken = new Set(this.#candidates.map(({ tool }) => tool.name));
    this.#fromServers = tools
      .filter(({ tool }) => !taken.has(tool.name))
      .toSorted((a, b) => byName(a.tool, b.tool))
      .map(({ tool, server, denied, isHeldBack }) => {
        if (isHeldBack) return { tool, server, source: 'mcp' as const, ...waitsForApproval };
        const off = whyWithheld(tool, this.#options);
        const isOn = off === undefined && this.#saysEnabled(tool);
        const state = isOn && denied ? deniedByRule : { enabled: isOn, ...(off !== undefined && { off }) };
        return { tool, server, source: 'mcp' as const, ...state };
      });
    this.#changed();
  }

  /** The MCP servers with their states. */
  get servers(): FromServers['states'] {
    return this.#servers;
  }

  absent(): readonly string[] {
    return this.#servers.flatMap(({ name, status, detail }) => {
      if (status === 'pending') return [`The MCP server ${name} is still connecting.`];
      return status === 'connected' || status === 'disabled' || detail === undefined ? [] : [detail];
    });
  }

  /** Why there is no tool of this name, if the reason is known. */
  whyAbsent(name: string): string | undefined {
    const off = this.#tools.find(({ tool }) => tool.name === name)?.off;
    if (off !== undefined) return `The tool ${name} is off here: ${off}. Go on without it.`;
    const server = this.#servers.find((each) => isToolOfServer(mcpServerName(plainServer(each.name)), name));
    if (server?.status !== 'pending') {
      const isLost = server !== undefined && server.status !== 'connected' && server.detail !== undefined;
      return isLost ? `There is no tool ${name} now. ${server.detail}` : undefined;
    }
    return `The MCP server ${server.name} is still connecting, so ${name} is not there yet. Go on with something else; you are told when its tools are there.`;
  }

  /** All tools, whether or not they are offered to the model. */
  get all(): readonly PooledTool[] {
    return this.#tools;
  }

  get names(): readonly string[] {
    return this.#tools
      .filter(({ enabled, tool }) => enabled && tool.exposure !== 'hidden')
      .map(({ tool }) => tool.name);
  }

  describe(tool: Tool): ToolDefinition {
    const listed = tool.lists === undefined ? [] : (this.#listings[tool.lists] ?? []);
    const short = this.#profileOf(tool);
    if (short) {
      const { description: text, parameters } = short;
      const description = typeof text === 'string' ? text : text(this.#deferredBuiltIns());
      return { name: tool.name, description, input_schema: withParameters(tool.inputSchema, parameters) };
    }
    const description = [this.#descriptionOf(tool), ...listed].join('\n');
    return { name: tool.name, description, input_schema: tool.inputSchema };
  }

  #profileOf(tool: Tool): ShortTool | undefined {
    return this.#isBuiltIn(tool) ? this.#options.profile?.tools.get(tool.name) : undefined;
  }

  #deferredBuiltIns(): string[] {
    const deferred = this.#own.filter(({ tool, enabled }) => enabled && this.exposureOf(tool) === 'deferred');
    return deferred.map(({ tool }) => tool.name);
  }

  readonly #isBuiltIn = (tool: Tool): boolean => this.#options.builtIn.includes(tool);

  /** How much the model knows of the tool from the start, by the profile of this pool. */
  exposureOf(tool: Tool): ToolExposure {
    const { profile } = this.#options;
    if (!profile || tool.exposure === 'hidden' || !this.#isBuiltIn(tool)) return tool.exposure;
    if (profile.tools.has(tool.name)) return 'direct';
    const search = this.#candidates.find(({ tool: { name } }) => name === profile.search);
    const isThere = search && isPermitted(search.tool, this.#options) && !this.#denied.has(search.tool.name);
    return isThere ? 'deferred' : tool.exposure;
  }

  /** The definitions for the model: the same array until a deferred tool is activated. */
  definitions(): readonly ToolDefinition[] {
    if (this.#definitions) return this.#definitions;
    const active = this.#tools.filter(({ tool, enabled }) => enabled && this.isActive(tool));
    for (const { tool, source } of active) if (source === 'mcp') this.#activated.add(tool.name); // its definition is sent now
    this.#definitions = active.map(({ tool }) => this.describe(tool));
    return this.#definitions;
  }

  #changed(): void {
    this.#all = undefined;
    this.#definitions = undefined;
  }

  #reassess(): void {
    this.#describing = undefined;
    this.#assessed = undefined;
    this.#changed();
  }

  #contextFor(candidates: ReadonlyArray<Pick<PooledTool, 'tool'>>): DescribeContext {
    const { root, mode, editStyle = 'text' } = this.#options;
    const deferredTools = candidates
      .map(({ tool }) => tool)
      .filter((tool) => this.exposureOf(tool) === 'deferred' && !this.#denied.has(tool.name))
      .filter((tool) => isPermitted(tool, this.#options))
      .map(({ name }) => name);
    return { root, mode, editStyle, deferredTools };
  }

  async #awaitSelfDescriptions(): Promise<string[]> {
    const { added = [] } = this.#options;
    const said = added.map((tool) => ({
      tool,
      enabled: tool.isEnabled(this.#context),
      description: tool.describe(this.#context),
    }));
    const late = said.filter(({ enabled, description }) => isPromise(enabled) || isPromise(description));
    if (late.length === 0) return [];
    this.#selfDescriptions = new Map(await Promise.all(late.map(selfDescription)));
    this.#reassess();
    return [...this.#selfDescriptions.values()].flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  }

  #saysEnabled(tool: Tool): boolean {
    const word = this.#selfDescriptions.get(tool);
    if (word) return word.enabled;
    return settledOr(false, tool.isEnabled(this.#context));
  }

  #descriptionOf(tool: Tool): string {
    return this.#selfDescriptions.get(tool)?.description ?? settledOr('', tool.describe(this.#context));
  }

  /** The tool's `isEnabled` is checked last, except for a rule that denies it. */
  #availability(tool: Tool): Pick<PooledTool, 'enabled' | 'off' | 'denied'> {
    const hasSomething = tool.lists === undefined || (this.#listings[tool.lists] ?? []).length > 0;
    const off = whyWithheld(tool, this.#options) ?? (hasSomething ? undefined : `no ${tool.lists} are used here`);
    if (off !== undefined) return { enabled: false, off };
    if (this.#selfDescriptions.get(tool)?.problem !== undefined)
      return { enabled: false, off: 'it could not describe itself' };
    if (!this.#saysEnabled(tool)) return { enabled: false };
    if (this.#denied.has(tool.name)) return deniedByRule;
    const missing = tool.needsTool === undefined ? undefined : this.#whyMissing(tool.needsTool);
    return missing === undefined ? { enabled: true } : { enabled: false, off: missing };
  }

  /** Why a tool that another one depends on is not available; undefined if it is. */
  #whyMissing(name: string): string | undefined {
    const needed = this.#candidates.find(({ tool }) => tool.name === name);
    const { enabled, off } = needed ? this.#availability(needed.tool) : { enabled: false, off: undefined };
    return enabled ? undefined : `of no use without ${name}${off === undefined ? '' : ` (${off})`}`;
  }

  isActive(tool: Tool): boolean {
    const exposure = this.exposureOf(tool);
    return exposure === 'direct' || (exposure === 'deferred' && this.#activated.has(tool.name));
  }

  /** A call to a deferred tool activates it; its input is checked as usual. */
  find(name: string): Tool | undefined {
    const tool = this.#byName.get(name);
    if (tool && this.exposureOf(tool) === 'deferred') this.activate([name]);
    return tool;
  }

  deferred(): readonly DeferredTool[] {
    return this.#tools
      .filter(({ tool, enabled }) => enabled && this.exposureOf(tool) === 'deferred')
      .map(({ tool }) => ({
        name: tool.name,
        description: this.#descriptionOf(tool),
        parameters: parametersOf(tool.inputSchema),
      }));
  }

  activate(names: readonly string[]): void {
    const before = this.#activated.size;
    for (const name of names) {
      const tool = this.#byName.get(name);
      if (tool && this.exposureOf(tool) === 'deferred') this.#activated.add(name);
    }
    if (this.#activated.size !== before) this.#definitions = undefined;
  }
}

const deniedByRule = { enabled: false, off: 'a rule denies it', denied: true } as const;

const waitsForApproval = {
  enabled: false,
  off: 'it waits for approval of its changed definition',
  denied: true,
} as const;

/** Includes denied tools, so that a call is refused with the reason and not as unknown. */
const callableByName = (tools: readonly PooledTool[]): ReadonlyMap<string, Tool> =>
  new Map(tools.filter(({ enabled, denied }) => enabled || denied).map(({ tool }) => [tool.name, tool]));

interface LateDescription {
  tool: Tool;
  enabled: boolean | Promise<boolean>;
  description: string | Promise<string>;
}

async function selfDescription({ tool, ...late }: LateDescription): Promise<[Tool, SelfDescription]> {
  try {
    const [enabled, description] = await Promise.all([late.enabled, late.description]);
    return [tool, { enabled, description }];
  } catch (error) {
    const why = messageOf(error);
    const problem = `The tool ${tool.name} is off: its isEnabled or description failed with: ${why}`;
    return [tool, { enabled: false, description: '', problem }];
  }
}

const isPromise = (value: unknown): value is Promise<unknown> => {
  if (!(value instanceof Promise)) return false;
  value.catch(() => {}); // the rejection is handled where the value is awaited
  return true;
};

const settledOr = <Value>(otherwise: Value, value: Value | Promise<Value>): Value =>
  isPromise(value) ? otherwise : (value as Value);

function refuseTwins(tools: readonly Tool[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw new TypeError(`Two tools are named "${name}", so a call could mean either. Rename one.`);
    names.add(name);
  }
}

const byName = (a: Tool, b: Tool): number => (a.name < b.name ? -1 : 1);
