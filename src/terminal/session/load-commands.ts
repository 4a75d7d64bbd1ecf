import type { AgentHappening } from '../../contract/event.js';
import type { FileIndex } from '../input/file-index.js';
import type { CommandAnswersOptions } from './command-answers.js';
import type { CommandSessionParts } from './command-session.js';
import type { CurrentSession } from './current-session.js';
import type { LoadedCommands } from './loaded-commands.js';

export interface CommandParts extends CommandAnswersOptions {
  session: CurrentSession;
  version: string;
  copy: CommandSessionParts['copy'];
  editFile: CommandSessionParts['editFile'];
  vim?: CommandSessionParts['vim'];
  work: CommandSessionParts['work'];
  files: FileIndex;
  themes: CommandSessionParts['themes'];
  keys: CommandSessionParts['keys'];
  change: CommandSessionParts['change'];
  tell(sentence: string): void;
  onEvent(event: AgentHappening): void;
  /** The permission mode has changed. */
  onMode(): void;
  /** Compaction is running until the promise settles. */
  onCompaction(work: Promise<unknown>): void;
  /** Marks a call as the user's own, which needs no permission question; the returned function ends that. */
  ownCall(callId: string): () => void;
  /** Aborts when the terminal is closed. */
  signal: AbortSignal;
}

/** Loads the terminal's commands for the current conversation, whichever that is. */
export async function loadCommands(parts: CommandParts): Promise<LoadedCommands> {
  const { session, files, themes, keys, change, tell, onEvent, ownCall } = parts;
  const { LoadedCommands } = await import('./loaded-commands.js');
  const { CommandAnswers } = await import('./command-answers.js');
  const { sessionBackground } = await import('../../tools/bash/session-shells.js');
  const { sessionTitle } = await import('./session-title.js');
  const { pastPrompts } = await import('./past-prompts.js');
  const { ProviderSignIn } = await import('./provider-sign-in.js');
  const { PromptLoop } = await import('./prompt-loop.js');
  const loop = new PromptLoop({
    isBusy: () => session.opened.engine.session.isBusy,
    say: (text) => parts.say({ text }),
    tell,
  });
  session.loop = loop;
  return new LoadedCommands({
    session: {
      session: () => session.opened,
      spending: () => session.spending,
      background: () => session.opened.engine.session.own(sessionBackground),
      work: parts.work,
      version: parts.version,
      copy: parts.copy,
      editFile: parts.editFile,
      vim: parts.vim,
      titleOf: sessionTitle,
      logins: new ProviderSignIn(parts.signal),
      themes,
      loop,
      keys,
      prompts: () => pastPrompts(session.opened.engine.session),
      tell,
      setMode(mode) {
        const problem = session.setMode(mode);
        parts.onMode();
        return problem;
      },
      async compact(instructions) {
        const { agent, withoutModel } = session.opened;
        if (!agent) throw new Error(withoutModel ?? 'No model is set up.');
        const compaction = agent.compact(instructions, { signal: parts.signal, onEvent });
        parts.onCompaction(compaction);
        return await compaction;
      },
      change,
    },
    answers: new CommandAnswers(parts),
    console: { engine: () => session.opened.engine, onEvent, ownCall },
    completion: {
      files,
      cwd: () => session.opened.engine.session.cwd,
      home: session.opened.engine.session.home,
      mentions: async () => await (await import('./server-mentions.js')).serverMentions(session.opened.engine),
    },
    isConsole: () => session.orNone !== undefined && !session.orNone.agent,
  });
}
