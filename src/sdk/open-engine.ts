import type { Engine as FullEngine } from '../compose/create-engine.js';
import { withReminders } from '../compose/with-reminders.js';
import { checkCalls, checkFolder, checkMode } from './check-options.js';
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
      session.mode = checkMode(mode);
    },
    async tools() {
      waited ??= engine.servers.beforePrompt({ signal: ended.signal, isResumed: false });
      await Promise.all([waited, session.tools.ready()]);
      return session.tools.definitions().map(({ name, description, input_schema }) => ({
        name,
        description,
        input_schema: { ...input_schema, type: 'object' },
      }));
    },
    async runCalls(calls, options) {
      checkCalls(calls, options);
      // An input that is no object fits no tool's schema; the result says so.
      const checked = calls.map(({ id, name, input }) => ({
        id,
        name,
        input: input as Record<string, unknown>,
      }));
      const results = await engine.runCalls(checked, options);
      const last = results.at(-1);
      // What is told while nobody calls anything waits for a result that it can come with.
      if (last) results.splice(-1, 1, { ...last, content: withReminders(last.content, session.takeReminders()) });
      return results as ToolResult[]; // where a result is settled, images of other types are left out
    },
    addDirectory(path) {
      checkFolder(path);
      engine.addDirectory(path, 'register_repo_root');
    },
    end,
    [Symbol.asyncDispose]: end,
  };
}
