// A tool of an MCP server that answers permission questions in the user's place. Only an explicit yes counts as yes.
import { isDeepStrictEqual } from 'node:util';
import type { Session } from '../../agent/session.js';
import type { PooledTool } from '../../agent/tool-pool.js';
import { askInEachForm } from '../../calls/ask-in-each-form.js';
import { demandClearYes } from '../../calls/clear-yes.js';
import { ToolFailure } from '../../contract/failure.js';
import type { AskPermission, PermissionAnswer } from '../../contract/permission.js';
import type { BoundCall, Tool, ToolOutcome } from '../../contract/tool.js';
import type { ToolContext } from '../../contract/tool-context.js';
import { randomId } from '../../platform/crypto.js';
import { isObject } from '../../platform/is-object.js';
import { parseJson } from '../../platform/parse-json.js';

export class PermissionTool {
  readonly #name: string;
  #session: Session | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** The session whose questions it answers, and which has the tool. */
  attach(session: Session): void {
    this.#session = session;
  }

  readonly askPermission: AskPermission = askInEachForm(async ({ tool, input, callId }, signal) => {
    const question = { tool_name: tool, input, tool_use_id: callId };
    const said = textOf(await this.#run(question, signal));
    return answerOf(said, input, this.#name);
  });

  /**
   * Runs it without a permission check: the flag that names it is consent, except for a tool that has changed since.
   */
  async #run(question: unknown, signal: AbortSignal): Promise<ToolOutcome> {
    const session = this.#session;
    const found = session && this.#find(session);
    if (found && !found.enabled) throw new Error(`${this.#name} was not asked: ${found.off ?? 'it is off'}.`);
    const tool = found?.tool;
    if (!session || !tool) {
      const absent = session?.tools.absent() ?? [];
      throw new Error(
        [`--permission-prompt-tool names ${this.#name}, but no MCP server has such a tool.`, ...absent].join(' '),
      );
    }
    const context = session.contextFor(`permission_${randomId()}`, signal, { mayRead: () => false });
    const call = await accepted(tool, question);
    const doubt = await call.validate(context);
    if (doubt?.ask !== undefined) throw new Error(`${this.#name} was not asked: ${doubt.ask}`);
    return await outcomeOf(call, context);
  }

  /** Not through the pool's lookup, which would offer the tool to the model. */
  #find({ tools }: Session): PooledTool | undefined {
    return tools.all.find(({ tool, source }) => tool.name === this.#name && source === 'mcp');
  }
}

async function accepted(tool: Tool, question: unknown): Promise<BoundCall> {
  await tool.load();
  const input = tool.accept(question);
  if (!input.ok) throw new ToolFailure(`${tool.name} does not take the question.`, { kind: 'invalid_input' });
  return input.call;
}

async function outcomeOf(call: BoundCall, context: ToolContext): Promise<ToolOutcome> {
  const running = call.run(context);
  for (;;) {
    const step = await running.next();
    if (step.done) return step.value;
  }
}

function textOf({ content }: ToolOutcome): string {
  if (typeof content === 'string') return content;
  const [first] = content.filter((block) => block.type === 'text');
  return first?.text ?? '';
}

function answerOf(said: string, input: unknown, name: string): PermissionAnswer {
  const answer = parsed(said);
  if (answer?.behavior === 'deny') {
    return {
      behavior: 'deny',
      ...(typeof answer.message === 'string' && answer.message !== '' && { reason: answer.message }),
    };
  }
  const { updatedInput } = answer ?? {};
  const isInput = isObject(updatedInput);
  if (answer?.behavior !== 'allow' || (updatedInput !== undefined && !isInput)) {
    throw new Error(
      `${name} answered neither {"behavior": "allow", "updatedInput": …} nor {"behavior": "deny", "message": …}`,
    );
  }
  demandClearYes(answer, input, name);
  if (!isInput || isDeepStrictEqual(updatedInput, input)) return { behavior: 'allow' };
  return { behavior: 'allow', updatedInput };
}

interface SaidAnswer {
  behavior?: unknown;
  updatedInput?: unknown;
  message?: unknown;
}

function parsed(text: string): SaidAnswer | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}
