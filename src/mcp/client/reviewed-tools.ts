// The tools and the instructions of one server that the model may get: what the server sends is first compared with the
// pins.
import { errorClause } from '../../platform/text/clause.js';
import { plainLine } from '../../platform/text/plain-text.js';
import { INSTRUCTIONS, type PinnedServer, type ToolChange, type ToolPins, type ToolReview } from './pins.js';
import { pinOf, type ReadTools, type ServerTool, type SetAside } from './tool-from-server.js';

const MAX_NAMED = 8; // tools in a notice
const MAX_NOTICES = 20; // per server and session, so that a server can't flood the person

export interface ReviewedToolsOptions {
  server: PinnedServer;
  /** Undefined for a server of the host program: its own code defines its tools. */
  pins: ToolPins | undefined;
  /** The person has agreed to changes of its tools in advance. */
  acceptsChanges: boolean;
  /** Reads a list that the server sent. */
  read(sent: readonly unknown[]): ReadTools;
  onNotice(text: string): void;
  /** Another list is in use now. */
  onChange(): void;
}

/** What a server sent that the model may get. */
export interface SentOffer {
  /** The list of its tools, unparsed. */
  tools: readonly unknown[];
  instructions: string;
}

export class ReviewedTools {
  readonly #options: ReviewedToolsOptions;
  #sent: SentOffer | undefined;
  #next: SentOffer | undefined;
  #running: Promise<void> | undefined;
  #all: readonly ServerTool[] = [];
  #setAside: readonly SetAside[] = [];
  #changes: ReadonlyMap<string, ToolChange> = new Map();
  #problem: string | undefined;
  readonly #told = new Set<string>();
  #notices = 0;

  constructor(options: ReviewedToolsOptions) {
    this.#options = options;
  }

  /** Whether a list has been reviewed. Before that, nothing is known of the server's tools. */
  get isReady(): boolean {
    return this.#sent !== undefined;
  }

  /** All usable tools, including those that are held back. */
  get all(): readonly ServerTool[] {
    return this.#all;
  }

  get setAside(): readonly SetAside[] {
    return this.#setAside;
  }

  /** The server's instructions for the model; empty if there are none or they are held back. */
  get instructions(): string {
    return this.isHeldBack(INSTRUCTIONS) ? '' : (this.#sent?.instructions ?? '');
  }

  /** The tools that wait for approval, and the instructions. */
  get changes(): readonly ToolChange[] {
    return [...this.#changes.values()];
  }

  /** Why it is unknown whether tools have changed, as a sentence; all of them are held back then. */
  get problem(): string | undefined {
    return this.#problem;
  }

  isHeldBack(tool: string): boolean {
    return this.#problem !== undefined || this.#changes.has(tool);
  }

  /** The change of a tool that is held back; undefined if it is not, or if the change is unknown. */
  changeOf(tool: string): ToolChange | undefined {
    return this.#changes.get(tool);
  }

  /** Whether this is neither in use nor waiting for its review. */
  isNew({ tools, instructions }: SentOffer): boolean {
    const last = this.#next ?? this.#sent;
    return tools !== last?.tools || instructions !== last.instructions;
  }

  /** Reviews an offer, and then uses it. Until then, the one before stays in use. Of several that wait, the last is used. */
  async take(sent: SentOffer): Promise<void> {
    this.#next = sent;
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /** Resolves once the lists that were taken have been reviewed. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** The tools have other names now, since these depend on the other servers. */
  rename(): void {
    if (this.#sent === undefined) return;
    const { tools, setAside } = this.#options.read(this.#sent.tools);
    this.#all = tools;
    this.#setAside = setAside;
  }

  /** Pins exactly these definitions: a tool that has changed again meanwhile stays held back. */
  async approve(approved: readonly ToolChange[]): Promise<void> {
    const { pins, server } = this.#options;
    await pins?.approve(server, approved);
    const isApproved = ({ tool, after }: ToolChange): boolean =>
      approved.some((one) => one.tool === tool && one.after.hash === after.hash);
    this.#changes = new Map([...this.#changes].filter(([, change]) => !isApproved(change)));
  }

  async #work(): Promise<void> {
    while (this.#next !== undefined) {
      const sent = this.#next;
      const { tools, setAside } = this.#options.read(sent.tools);
      const { changed, problem } = await this.#review(tools, sent.instructions);
      if (sent !== this.#next) continue; // the server has sent another one meanwhile
      this.#next = undefined;
      this.#sent = sent;
      this.#tellSetAside(setAside);
      this.#all = tools;
      this.#setAside = setAside;
      this.#problem = problem;
      this.#changes = new Map(changed.map((change) => [change.tool, change]));
      this.#tellChanged(changed);
      if (problem !== undefined) this.#tell(problem);
      this.#options.onChange();
    }
  }

  /** Never rejects. */
  async #review(
    tools: readonly ServerTool[],
    instructions: string,
  ): Promise<{ changed: ToolReview['changed']; problem?: string }> {
    const { pins, server, acceptsChanges } = this.#options;
    if (!pins) return { changed: [] };
    // Empty instructions are pinned too: a server that gives some later has changed them.
    const definitions = new Map(tools.map(({ original, pin }) => [original, pin])).set(
      INSTRUCTIONS,
      pinOf({ instructions }),
    );
    const name = plainLine(server.name, 40);
    try {
      const { changed, added: all, unsaved } = await pins.review(server, definitions, { acceptsChanges });
      const added = all.filter((tool) => tool !== INSTRUCTIONS); // earlier versions did not pin these
      if (added.length > 0) this.#tell(`The MCP server ${name} has new tools: ${listed(added)}.`);
      if (unsaved !== undefined) {
        this.#tell(
          `A later change of the tools of the MCP server ${name} may go unnoticed: they could not be recorded (${unsaved}).`,
        );
      }
      return { changed };
    } catch (error) {
      if (acceptsChanges) return { changed: [] };
      return {
        changed: [],
        problem: `The model does not get the tools of the MCP server ${name}, since it is unknown whether they have changed: ${errorClause(error)}.`,
      };
    }
  }

  #tellChanged(changed: readonly ToolChange[]): void {
    const unsaid = changed.filter(({ tool, after }) => !this.#told.has(`${tool} ${after.hash}`));
    if (unsaid.length === 0) return;
    for (const { tool, after } of unsaid) this.#told.add(`${tool} ${after.hash}`);
    const name = plainLine(this.#options.server.name, 40);
    const tools = unsaid.flatMap(({ tool }) => (tool === INSTRUCTIONS ? [] : [tool]));
    const parts = [
      ...(tools.length < unsaid.length ? ['its instructions'] : []),
      ...(tools.length === 1 ? [`its tool ${listed(tools)}`] : []),
      ...(tools.length > 1 ? [`tools (${listed(tools)})`] : []),
    ];
    const pronoun = unsaid.length === 1 && tools.length === 1 ? 'it' : 'them';
    this.#tell(
      `The MCP server ${name} has changed ${parts.join(' and ')}, so the model does not get ${pronoun} until you approve the change. To see and approve the change: helve mcp approve ${name}, or /mcp approve ${name} in the terminal.`,
    );
  }

  #tellSetAside(setAside: readonly SetAside[]): void {
    const known = new Set(this.#setAside.map(({ tool }) => tool));
    const fresh = setAside.filter(({ tool }) => !known.has(tool));
    const name = plainLine(this.#options.server.name, 40);
    for (const { tool, why } of fresh.slice(0, MAX_NAMED)) {
      this.#tell(`The tool ${plainLine(tool, 80)} of the MCP server ${name} is not used. ${why}`);
    }
    const more = fresh.length - MAX_NAMED;
    if (more > 0) this.#tell(`${more} more tools of the MCP server ${name} are not used. To see why: helve doctor`);
  }

  #tell(text: string): void {
    this.#notices += 1;
    if (this.#notices <= MAX_NOTICES) this.#options.onNotice(text);
  }
}

function listed(tools: readonly string[]): string {
  const named = tools.slice(0, MAX_NAMED).map((tool) => plainLine(tool, 60));
  return tools.length > MAX_NAMED ? `${named.join(', ')} and ${tools.length - MAX_NAMED} more` : named.join(', ');
}
