import type { ToolDefinition } from '../contract/model.js';
import type { Tool } from '../contract/tool.js';
import type { DescribeContext, SessionPort, ToolDirectory, ToolSetMode } from '../contract/tool-context.js';

export interface ToolPoolOptions {
  /** Layer 1: everything that was built in. */
  builtIn: readonly Tool[];
  /** Tools of the embedding program and of servers. */
  added?: readonly Tool[];
  mode: ToolSetMode;
  /** The names that the `simple` mode keeps. */
  simpleNames: readonly string[];
  /** The names that an agent's type grants, in `child` mode. */
  granted?: readonly string[];
  /** Names that a rule denies outright: the model never hears of them. */
  denied?: readonly string[];
  root: string;
  editStyle?: 'text' | 'patch';
}

export interface PooledTool {
  tool: Tool;
  source: 'builtin' | 'added';
  enabled: boolean;
}

/**
 * The tools of one session. Built-ins come first, sorted by name, then the added ones, sorted by name; a built-in wins a
 * clash. The order and the bytes stay the same from turn to turn, since tools stand at the front of the prompt cache.
 */
export class ToolPool implements ToolDirectory {
  readonly #tools: readonly PooledTool[];
  readonly #context: DescribeContext;
  readonly #byName: ReadonlyMap<string, Tool>;
  readonly #activated = new Set<string>();
  #definitions: readonly ToolDefinition[] | undefined;

  constructor(options: ToolPoolOptions) {
    refuseTwins(options.added ?? []);
    const builtInNames = new Set(options.builtIn.map(({ name }) => name));
    const candidates: Array<{ tool: Tool; source: PooledTool['source'] }> = [
      ...options.builtIn.toSorted(byName).map((tool) => ({ tool, source: 'builtin' as const })),
      ...(options.added ?? [])
        .filter(({ name }) => !builtInNames.has(name))
        .toSorted(byName)
        .map((tool) => ({ tool, source: 'added' as const })),
    ];
    const permitted = ({ name }: Tool): boolean => isPermitted(name, options);
    this.#context = {
      root: options.root,
      mode: options.mode,
      editStyle: options.editStyle ?? 'text',
      deferredTools: candidates
        .filter(({ tool }) => tool.exposure === 'deferred' && permitted(tool))
        .map(({ tool }) => tool.name),
    };
    // The tool's own word comes last.
    this.#tools = candidates.map((candidate) => ({
      ...candidate,
      enabled: permitted(candidate.tool) && candidate.tool.isEnabled(this.#context),
    }));
    this.#byName = new Map(this.#tools.filter(({ enabled }) => enabled).map(({ tool }) => [tool.name, tool]));
  }

  /** Every tool there is, whether or not the model has it. */
  get all(): readonly PooledTool[] {
    return this.#tools;
  }

  get names(): readonly string[] {
    return this.#tools
      .filter(({ enabled, tool }) => enabled && tool.exposure !== 'hidden')
      .map(({ tool }) => tool.name);
  }

  describe(tool: Tool): ToolDefinition {
    return { name: tool.name, description: tool.describe(this.#context), input_schema: tool.inputSchema };
  }

  /** What goes to the model: the same array until a deferred tool is activated. */
  definitions(): readonly ToolDefinition[] {
    this.#definitions ??= this.#tools
      .filter(({ tool, enabled }) => enabled && this.isActive(tool))
      .map(({ tool }) => this.describe(tool));
    return this.#definitions;
  }

  /** Gets ready what the model may call at once. A tool that can't be loaded says so when it is called. */
  async preload(session: SessionPort): Promise<void> {
    await Promise.allSettled(this.#tools.filter(({ enabled }) => enabled).map(({ tool }) => tool.preload?.(session)));
  }

  isActive({ name, exposure }: Tool): boolean {
    return exposure === 'direct' || (exposure === 'deferred' && this.#activated.has(name));
  }

  /** A call to a deferred tool counts as asking for it: the input is checked all the same. */
  find(name: string): Tool | undefined {
    const tool = this.#byName.get(name);
    if (tool?.exposure === 'deferred') this.activate([name]);
    return tool;
  }

  deferred(): ReadonlyArray<{ name: string; description: string }> {
    return this.#tools
      .filter(({ tool, enabled }) => enabled && tool.exposure === 'deferred')
      .map(({ tool }) => ({ name: tool.name, description: tool.describe(this.#context) }));
  }

  activate(names: readonly string[]): void {
    const before = this.#activated.size;
    for (const name of names) {
      if (this.#byName.get(name)?.exposure === 'deferred') this.#activated.add(name);
    }
    if (this.#activated.size !== before) this.#definitions = undefined;
  }
}

function refuseTwins(tools: readonly Tool[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw new TypeError(`Two tools are named "${name}", so a call could mean either. Rename one.`);
    names.add(name);
  }
}

function isPermitted(name: string, { mode, simpleNames, granted, denied }: ToolPoolOptions): boolean {
  if (denied?.includes(name)) return false;
  if (mode === 'simple') return simpleNames.includes(name);
  if (mode === 'child') return granted === undefined || granted.includes(name);
  return true;
}

const byName = (a: Tool, b: Tool): number => (a.name < b.name ? -1 : 1);
