// Runs prompts on this worker. A session is claimed, its folder is made again from the database, and it goes on there as
// after a kill. What it records goes to the database, and no call runs before its start is there.
import { existsSync } from 'node:fs';
import type { OpenConversation } from '../host/hosted-conversation.js';
import { HostedSession } from '../host/hosted-session.js';
import type { OpenQuestion, QuestionAnswers } from '../host/open-questions.js';
import type { PromptEnd } from '../host/session-feed.js';
import { messageOf } from '../platform/message-of.js';
import type { LiveLog } from './live-log.js';
import { assertModel, assertPlace, type FleetProjects, policyOf } from './projects.js';
import type { FleetPrompts, PromptEndFacts, PromptToRun } from './prompts.js';
import type { FleetQuestions, GivenAnswer } from './questions.js';
import { FileStore } from './store/file-store.js';
import type { PostgresStore } from './store/postgres-store.js';
import { SessionLost, type SessionOwner, WorkerLost } from './store/record-store.js';
import { fetchSession, SessionCopy } from './store/session-copy.js';
import { BeforeImages } from './workspace/before-images.js';
import type { FleetWorkspaces, OpenWorkspace } from './workspace/fleet-workspaces.js';
import { SessionKeeping } from './workspace/session-keeping.js';
import { WorkspaceProblem } from './workspace/workspace-problem.js';

export interface PromptRunsOptions {
  store: PostgresStore;
  prompts: FleetPrompts;
  questions: FleetQuestions;
  live: LiveLog;
  /** Of sessions that work on a repository. */
  workspaces: FleetWorkspaces;
  dataFolder: string;
  /** Checks an answer that a client has sent. Throws if it does not fit the question. */
  readAnswer(asked: OpenQuestion, given: unknown, actor: string): { kind: OpenQuestion['kind']; answer: AnyAnswer };
  projects: FleetProjects;
  /** `whenRecorded` resolves once all records of the session are in the database. `policy`: managed settings, as JSON. */
  open(whenRecorded: () => Promise<void>, policy: string | undefined): OpenConversation;
  onProblem(sentence: string): void;
}

type AnyAnswer = QuestionAnswers[OpenQuestion['kind']];

interface Run {
  owner: SessionOwner;
  session: HostedSession | undefined;
  /** The questions of the session, by their ids. */
  readonly asked: Map<string, Promise<void>>;
  /** Why the session can't be stored any more. */
  failure: { error: unknown } | undefined;
}

export class PromptRuns {
  readonly #options: PromptRunsOptions;
  readonly #runs = new Map<string, Run>();

  constructor(options: PromptRunsOptions) {
    this.#options = options;
  }

  get sessionIds(): string[] {
    return [...this.#runs.keys()];
  }

  /**
   * Runs the prompt to its end, whatever an earlier worker has done of it; nothing if it has ended. Rejects with `SessionLost`
   * or `WorkerLost` if another has to go on.
   */
  async run(sessionId: string, promptId: string): Promise<void> {
    const { prompts, store } = this.#options;
    const wanted = await prompts.toRun(sessionId, promptId);
    if (!wanted) return;
    const owner = await store.claim(sessionId);
    const run: Run = { owner, session: undefined, asked: new Map(), failure: undefined };
    this.#runs.set(sessionId, run);
    try {
      const end = await this.#runClaimed(run, promptId, wanted).catch((error: unknown) => {
        if (error instanceof SessionLost || error instanceof WorkerLost) throw error;
        return failed(messageOf(error));
      });
      await this.#options.questions.dropAll(owner);
      await prompts.ended(owner, promptId, end);
    } finally {
      this.#runs.delete(sessionId);
    }
  }

  /** Interrupts the prompt that runs in the session. */
  cancel(sessionId: string): void {
    this.#runs.get(sessionId)?.session?.cancel();
  }

  /** Gives an answer to the question that waits for it. */
  answer({ sessionId, questionId, answer: given, actor }: GivenAnswer): void {
    const questions = this.#runs.get(sessionId)?.session?.questions;
    const asked = questions?.list().find(({ id }) => id === questionId);
    if (!questions || !asked) return; // it was withdrawn meanwhile
    const { kind, answer } = this.#options.readAnswer(asked, given, actor);
    questions.answer(questionId, kind, answer);
  }

  /** Ends all processes of all sessions at once. */
  killAll(): void {
    for (const { session } of this.#runs.values()) session?.killAll();
  }

  async #runClaimed(run: Run, promptId: string, wanted: PromptToRun) {
    const { prompts, store, live, dataFolder, open, onProblem } = this.#options;
    const { owner } = run;
    const { sessionId } = owner;
    const project = await this.#options.projects.get(wanted.project);
    assertPlace(project, wanted, { resolves: true });
    if (!wanted.repository) assertFolder(wanted.root);
    const workspace = await this.#openWorkspace(owner, wanted);
    // A clone takes its time.
    const isCancelled = workspace ? (await prompts.toRun(sessionId, promptId))?.isCancelled : wanted.isCancelled;
    const content = await prompts.content(sessionId, promptId);
    const stored = await fetchSession(store, dataFolder, sessionId);
    const images = await BeforeImages.open({ dataFolder, store, owner, stored });
    const keeping = new SessionKeeping({ dataFolder, sessionId, images, workspace, stored });
    const copy = new SessionCopy({
      from: new FileStore(dataFolder),
      to: store,
      owner,
      stored,
      before: (files) => keeping.before(files),
      onFailed: (error) => this.#giveUp(run, error),
    });
    const isKnown = stored.has('session.jsonl');
    const root = workspace?.root ?? wanted.root;
    const place = { root, ...(isKnown ? { resume: sessionId, reopens: true } : { id: sessionId }) };
    const session = await HostedSession.open(
      place,
      open(async () => {
        assertWritten(run);
        await copy.flushed();
      }, policyOf(project)),
    );
    run.session = session;
    const closing = new AbortController();
    const shown = live
      .follow(owner, session.feed, {
        pastBytes: stored.get('session.jsonl') ?? 0,
        closing: closing.signal,
        before: async (entry) => {
          if (entry.kind === 'question' && entry.isOpen) await this.#ask(run, copy, entry.question); // clients answer at once
        },
      })
      .catch((error: unknown) => onProblem(messageOf(error)));
    let end: PromptEndFacts = { outcome: 'completed', state: 'idle' };
    try {
      assertModel(project, session.conversation.model.current);
      await session.announce();
      await prompts.note(owner, 'running');
      void this.#follow(session, run, copy);
      const { promptIds, isUnfinished } = session.conversation.left ?? { promptIds: [], isUnfinished: false };
      const hasBegun = promptIds.includes(promptId);
      if (isCancelled && !hasBegun) end = { outcome: 'interrupted', state: 'idle' };
      else if (!hasBegun || isUnfinished) {
        await prompts.begun(owner, promptId);
        const prompt = hasBegun
          ? { id: `unfinished:${promptId}`, content: [], isUnfinished: true }
          : { id: promptId, content: content ?? [] };
        const { ended } = session.prompt(prompt);
        if (isCancelled) session.cancel();
        end = endFacts(await ended);
      }
    } finally {
      await session.close();
      closing.abort();
    }
    if (run.failure) throw run.failure.error;
    await workspace?.save();
    await copy.flushed();
    await shown;
    workspace?.leave();
    return end;
  }

  async #openWorkspace(owner: SessionOwner, { repository }: PromptToRun): Promise<OpenWorkspace | undefined> {
    const { prompts, workspaces } = this.#options;
    if (!repository) return undefined;
    await prompts.note(owner, 'running');
    const workspace = await workspaces.open(owner, repository);
    await prompts.placed(owner, workspace.root);
    return workspace;
  }

  /** What it has recorded since is not stored, so it must do nothing more. */
  #giveUp(run: Run, error: unknown): void {
    run.failure = { error };
    run.session?.killAll();
    run.session?.cancel();
    this.#options.onProblem(messageOf(error));
  }

  /** Puts the question into the database, once, and after the call that it is about: else the next worker would not know it. */
  async #ask({ owner, asked }: Run, copy: SessionCopy, question: OpenQuestion): Promise<void> {
    const asking = asked.get(question.id) ?? copy.flushed().then(() => this.#options.questions.asked(owner, question));
    asked.set(question.id, asking);
    await asking;
  }

  /** Sends away what the session has recorded, and its state to those who list sessions. The session does not wait for it. */
  async #follow(session: HostedSession, run: Run, copy: SessionCopy): Promise<void> {
    const { owner, asked } = run;
    const { prompts, questions, onProblem } = this.#options;
    try {
      for await (const { entry } of session.feed.subscribe({})) {
        if (entry.kind !== 'text' && entry.kind !== 'thought') copy.changed(); // a text is recorded once it is complete
        if (entry.kind === 'question' && entry.isOpen) await this.#ask(run, copy, entry.question);
        if (entry.kind === 'question' && !entry.isOpen) {
          await asked.get(entry.id);
          await questions.closed(owner, entry.question.id);
        }
        if (entry.kind === 'state' && entry.state !== 'idle') await prompts.note(owner, entry.state);
      }
    } catch (error) {
      onProblem(messageOf(error));
    }
  }
}

/** A record that is not even on the disk here can't be sent away. */
function assertWritten({ session }: Run): void {
  if (!session || session.agent.unwrittenRecords === 0) return;
  throw new Error(
    'The data folder of this worker can not be written, so the call was not run. Free space there, or stop this worker: another continues the session.',
  );
}

function assertFolder(root: string): void {
  if (existsSync(root)) return;
  throw new WorkspaceProblem(
    `The session works in ${root}, which this worker does not have. Such a folder must be on every worker, under the same path; with helve fleet send --repo URL, workers make a workspace of a git repository themselves.`,
  );
}

const failed = (problem: string): PromptEndFacts => ({ outcome: 'error', problem, state: 'failed' });

function endFacts(end: PromptEnd): PromptEndFacts {
  if ('error' in end) return failed(end.error.message);
  const { outcome, text } = end.result;
  const isGood = ['completed', 'interrupted', 'stopped', 'refused'].includes(outcome);
  return { outcome, state: isGood ? 'idle' : 'failed', ...(isGood ? {} : { problem: text }) };
}
