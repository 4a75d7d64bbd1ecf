import type { TextBlock, ToolResultBlock } from '../contract/message.js';
import type { Engine as FullEngine } from '../create-engine.js';
import type { Engine, ToolResult } from './engine.js';

/** What a program sees of an engine. */
export function openEngine(engine: FullEngine): Engine {
  const { session } = engine;
  const ended = new AbortController();
  let waited: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    ended.abort();
    await engine.end();
  };
  return {
    id: session.id,
    root: session.root,
    get cwd() {
      return session.cwd;
    },
    get mode() {
      return session.mode;
    },
    set mode(mode) {
      session.mode = mode;
    },
    async tools() {
      waited ??= engine.servers.beforePrompt({ signal: ended.signal, isResumed: false });
      await waited;
      return session.tools.definitions().map(({ name, description, input_schema }) => ({
        name,
        description,
        input_schema: { ...input_schema, type: 'object' },
      }));
    },
    async runCalls(calls, options) {
      // What is no object fits no tool's schema; the path says so.
      const checked = calls.map(({ id, name, input }) => ({ id, name, input: input as Record<string, unknown> }));
      const results = withNews(await engine.runCalls(checked, options), session.takeReminders());
      return results as ToolResult[]; // where a result is settled, images of other types are left out
    },
    addDirectory: (path) => engine.addDirectory(path),
    end,
    [Symbol.asyncDispose]: end,
  };
}

function withNews(results: ToolResultBlock[], news: readonly TextBlock[]): ToolResultBlock[] {
  const last = results.at(-1);
  if (!last || news.length === 0) return results;
  const content = typeof last.content === 'string' ? [{ type: 'text' as const, text: last.content }] : last.content;
  return [...results.slice(0, -1), { ...last, content: [...content, ...news] }];
}
