import type { AgentHappening } from '../../contract/event.js';
import type { AssistantBlock, AssistantMessage, UserBlock } from '../../contract/message.js';
import type { SeenFile } from '../../contract/tool-context.js';
import type { SessionStore, WatchedState } from './session-store.js';

/** Keeps a session, from the moment when the code for it is there; what happened before is written then. */
export interface SessionKeeper {
  prompt(content: readonly UserBlock[]): void;
  take(happening: AgentHappening): void;
  /** The next complete block of the answer under way, but for calls, which come by their events. */
  block(block: AssistantBlock): void;
  /** The answer is complete; its calls may still be at work. */
  answered(message: AssistantMessage, facts: { id: string; model: string }): void;
  saw(real: string, seen: SeenFile): void;
  compacted(summary: readonly UserBlock[], kept: number): void;
  cleared(results: ReadonlyMap<string, string>): void;
  forgot(files: readonly string[]): void;
  /** Loads what writes, and begins: while the model thinks, so that nobody waits for it. */
  begin(): Promise<void>;
  flushed(): Promise<void>;
  close(): Promise<void>;
}

export function keeperOf(
  store: () => Promise<SessionStore>,
  state: WatchedState,
  onProblem: (sentence: string) => void,
): SessionKeeper {
  let early: Array<(open: SessionStore) => void> = [];
  let open: SessionStore | undefined;
  let beginning: Promise<void> | undefined;
  const tell = (word: (open: SessionStore) => void): void => {
    if (open) word(open);
    else early.push(word);
  };
  const begin = (): Promise<void> => {
    beginning ??= start().catch((error: unknown) =>
      onProblem(`The session is not being saved: ${error instanceof Error ? error.message : String(error)}`),
    );
    return beginning;
  };
  const start = async (): Promise<void> => {
    const loaded = await store();
    loaded.watch(state);
    await loaded.open();
    open = loaded;
    for (const word of early) word(loaded);
    early = [];
  };
  return {
    prompt: (content) => tell((loaded) => loaded.prompt(content)),
    take: (happening) => tell((loaded) => loaded.take(happening)),
    block: (block) => tell((loaded) => loaded.block(block)),
    answered: (message, facts) => tell((loaded) => loaded.answered(message, facts)),
    saw: (real, seen) => tell((loaded) => loaded.saw(real, seen)),
    compacted: (summary, kept) => tell((loaded) => loaded.compacted(summary, kept)),
    cleared: (results) => tell((loaded) => loaded.cleared(results)),
    forgot: (files) => tell((loaded) => loaded.forgot(files)),
    begin,
    async flushed() {
      if (early.length > 0) await begin();
      await open?.flushed();
    },
    async close() {
      await beginning;
      await open?.close();
    },
  };
}
