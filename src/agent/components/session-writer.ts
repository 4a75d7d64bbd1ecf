import type { AssistantBlock, AssistantMessage, UserBlock } from '../../contract/message.js';
import type { SeenFile } from '../../contract/tool-context.js';
import { messageOf } from '../../platform/message-of.js';
import type { SessionComponent } from '../session-component.js';
import type { SessionStore } from '../store/session-store.js';
import type { WatchedState } from '../store/session-store-options.js';

/** Writes a session to disk. Its code is loaded with the first request, and earlier events are written then. */
export interface SessionWriter extends SessionComponent {
  /** The number of records that are not in the data folder. */
  readonly unwritten: number;
  onPrompt(content: readonly UserBlock[]): void;
  onBlock(block: AssistantBlock): void;
  onAnswer(message: AssistantMessage, facts: { id: string; model: string }): void;
  onSeen(real: string, seen: SeenFile): void;
  compacted(summary: readonly UserBlock[], kept: number): void;
  cleared(results: ReadonlyMap<string, string>): void;
  forgot(files: readonly string[]): void;
  /** To be called when tasks of MCP servers have changed. */
  tasksChanged(): void;
  /** To be called when the goal has changed. */
  goalChanged(): void;
  /** Gives the session another title. */
  rename(title: string): void;
  open(): Promise<void>;
  /** Creates the file before the first prompt. Never rejects: a failure is reported. */
  announce(): Promise<void>;
  /** Resolves once everything so far is on disk, or its failure was reported. */
  flushed(): Promise<void>;
  end(): Promise<void>;
}

/** Where a writer gets its store. */
export interface StoreSource {
  open(): Promise<SessionStore>;
  /** The store of a resumed session: open, and with its lock, before anything is written. */
  held?: SessionStore | undefined;
}

export function sessionWriter(
  store: StoreSource,
  state: WatchedState,
  onProblem: (sentence: string) => void,
): SessionWriter {
  let early: Array<(loaded: SessionStore) => void> = [];
  let loaded: SessionStore | undefined;
  let opening: Promise<void> | undefined;
  const write = (record: (store: SessionStore) => void): void => {
    if (loaded) record(loaded);
    else early.push(record);
  };
  const open = (): Promise<void> => {
    opening ??= load().catch((error: unknown) => onProblem(`The session is not being saved: ${messageOf(error)}`));
    return opening;
  };
  const load = async (): Promise<void> => {
    const made = await store.open();
    made.watch(state);
    await made.open();
    loaded = made;
    for (const record of early) record(made);
    early = [];
  };
  return {
    name: 'session writer',
    isEssential: true,
    get unwritten() {
      return loaded ? loaded.lost : early.length;
    },
    open,
    async announce() {
      await open();
      await loaded?.announce();
    },
    onPrompt: (content) => write((store) => store.prompt(content)),
    onEvent: (event) => write((store) => store.take(event)),
    onBlock: (block) => write((store) => store.block(block)),
    onAnswer: (message, facts) => write((store) => store.answered(message, facts)),
    onSeen: (real, seen) => write((store) => store.saw(real, seen)),
    compacted: (summary, kept) => write((store) => store.compacted(summary, kept)),
    cleared: (results) => write((store) => store.cleared(results)),
    forgot: (files) => write((store) => store.forgot(files)),
    tasksChanged: () => write((store) => store.tasksChanged()),
    goalChanged: () => write((store) => store.goalChanged()),
    rename: (title) => write((store) => store.rename(title)),
    async flushed() {
      if (early.length > 0) await open();
      await loaded?.flushed();
    },
    async end() {
      await opening;
      await (loaded ?? store.held)?.close();
    },
  };
}
