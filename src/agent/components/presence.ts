// Tells other processes of this user what the session does: see store/presence.ts. Changes of the state are written at
// once, those of the activity at most once a second. Nothing is loaded or written before the first request has left, unless
// the session is announced.
import { type AgentEvent, needsPerson } from '../../contract/event.js';
import type { UserBlock } from '../../contract/message.js';
import type { AskPermission } from '../../contract/permission.js';
import type { AskUser } from '../../contract/question.js';
import { lazy } from '../../platform/lazy.js';
import type { Session } from '../session.js';
import type { SessionComponent } from '../session-component.js';
import type { LiveState, Surface } from '../store/presence.js';
import type { RestoredSession } from '../store/restored-session.js';

const ACTIVITY_MS = 1_000;
const FIRST_MS = 200; // a run that is over by then is not listed, and the answer to the first request is not delayed
const MAX_CHARS = 200;

export interface PresenceOptions {
  surface: Surface;
  env: Readonly<Record<string, string | undefined>>;
  /** The question that was open when the last process was killed: it is asked again. */
  waitsFor?: string | undefined;
}

interface Questions {
  askPermission: AskPermission | undefined;
  askUser: AskUser | undefined;
}

export interface PresenceComponent extends SessionComponent {
  /** The session that it tells of, and what it was before it was resumed. To be called before anything else. */
  begin(session: Session, restored: Pick<RestoredSession, 'title' | 'totals'> | undefined): void;
  /** For a session of the background: writes at once, before the first request. Rejects if that fails. */
  announce(): Promise<void>;
  /** The title that a person has given it. */
  rename(title: string): void;
  /** While the function runs, the session waits for an answer. */
  during<Answer>(question: string, ask: () => Promise<Answer>): Promise<Answer>;
  /** The same questions; while one is open, the session waits for a person. */
  watching(questions: Questions): Questions;
}

export function presence(options: PresenceOptions): PresenceComponent {
  const { surface, env } = options;
  const writer = lazy(async () => {
    const [store, redact, identity, titles, usage] = await Promise.all([
      import('../store/presence.js'),
      import('../store/redact-secrets.js'),
      import('../../platform/journal/process-identity.js'),
      import('../store/session-title.js'),
      import('../usage-by-model.js'),
    ]);
    const secrets = redact.secretsIn(env);
    const clean = (text: string): string => redact.redactSecrets(text, secrets);
    return { store, clean, owner: await identity.thisProcess(), titleOf: titles.titleOf, sum: usage.sum };
  });
  const since = Date.now();
  let session: Session | undefined;
  let title = '';
  let spentUsd: number | null = 0;
  let firstPrompt: readonly UserBlock[] | undefined;
  let state: LiveState = 'idle';
  let activity = '';
  let changed = since;
  let { waitsFor } = options;
  const asked: string[] = [];
  const calls = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  let isLoaded = false;
  let hasEnded = false;

  const write = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    isStarted = true;
    const { store, clean, owner, sum, titleOf } = await writer();
    isLoaded = true;
    if (!session || hasEnded) return;
    const { id, root, used, dataFolder, worktree } = session;
    if (title === '' && firstPrompt) title = titleOf(firstPrompt);
    const question = asked[0] ?? waitsFor;
    const isWaiting = question !== undefined;
    const words = isWaiting ? question : state === 'idle' ? '' : activity;
    store.writePresence(dataFolder, {
      id,
      surface,
      owner,
      root,
      ...(worktree && { worktree: { name: worktree.name, project: worktree.project } }),
      title: clean(title),
      state: isWaiting ? 'waiting' : state,
      activity: clean(relativeTo(root, words).slice(0, MAX_CHARS)),
      costUsd: sum(spentUsd, used.costUsd),
      since,
      changed,
    });
  };
  const writeOrRetry = (): void => void write().catch(() => {}); // as with a full disk: written with the next change
  const stateChanged = (): void => {
    changed = Date.now();
    if (isLoaded) writeOrRetry();
  };
  const activityChanged = (): void => {
    if (!isLoaded || timer !== undefined) return;
    timer = setTimeout(writeOrRetry, ACTIVITY_MS);
    timer.unref();
  };
  const during = async <Answer>(words: string, ask: () => Promise<Answer>): Promise<Answer> => {
    asked.push(words);
    waitsFor = undefined;
    changed = Date.now();
    await write().catch(() => {}); // before anyone sees the question: it must be listed after a kill
    try {
      return await ask();
    } finally {
      asked.splice(asked.indexOf(words), 1);
      stateChanged();
    }
  };
  const take = (event: AgentEvent): void => {
    switch (event.type) {
      case 'turn_start':
        waitsFor = undefined;
        activity = 'waits for the model';
        break;
      case 'text_delta':
        activity = 'writes its answer';
        break;
      case 'thinking_delta':
        activity = 'thinks';
        break;
      case 'tool_start':
        activity = calls.get(event.callId) ?? event.tool;
        break;
      case 'tool_call':
        calls.set(event.callId, `${event.display.action ?? event.tool} ${event.display.title}`);
        return;
      case 'tool_result':
        calls.delete(event.callId);
        return;
      case 'result':
        calls.clear();
        waitsFor = undefined;
        state = needsPerson(event.outcome) ? 'failed' : 'idle';
        activity = event.failure?.problem ?? event.text; // why, if it failed
        return;
      default:
        return;
    }
    activityChanged();
  };
  return {
    name: 'presence',
    begin(of, restored) {
      session = of;
      if (!restored) return;
      title = restored.title;
      spentUsd = restored.totals.costUsd;
    },
    async announce() {
      if (surface === 'background') await write();
    },
    rename(given) {
      title = given;
      if (isLoaded) writeOrRetry();
    },
    during,
    watching: ({ askPermission, askUser }) => ({
      askPermission:
        askPermission &&
        (async (question, signal) =>
          await during(`${question.display.action ?? question.tool} ${question.display.title}`, () =>
            askPermission(question, signal),
          )),
      askUser:
        askUser &&
        (async (questions, ...more) =>
          await during(questions[0]?.question ?? 'a question', () => askUser(questions, ...more))),
    }),
    async prepare() {
      state = 'running';
      stateChanged();
    },
    onPrompt(content) {
      firstPrompt ??= content;
    },
    onRequestSent() {
      if (isStarted || timer !== undefined) return;
      timer = setTimeout(writeOrRetry, FIRST_MS);
      timer.unref();
    },
    onEvent: take,
    afterRun() {
      if (state === 'running') {
        state = 'failed'; // it has thrown
        activity = '';
      }
      stateChanged();
    },
    async end() {
      clearTimeout(timer);
      if (!isStarted || !session) return;
      if (surface === 'background') await write().catch(() => {});
      hasEnded = true;
      const { store } = await writer();
      if (surface !== 'background') store.removePresence(session.dataFolder, session.id);
    },
  };
}

const relativeTo = (root: string, text: string): string => text.replaceAll(`${root}/`, '').replaceAll(/\s+/g, ' ');
