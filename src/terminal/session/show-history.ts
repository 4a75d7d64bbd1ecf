import type { Component } from '@earendil-works/pi-tui';
import { openedNotice, pausedNotice } from '../../agent/goals/goal-words.js';
import { INTERRUPTED, isInterruption } from '../../agent/interruption.js';
import { isPersonText } from '../../agent/store/conversation-view.js';
import { INTERRUPTED_PROBLEM, interruptionNotes, NOT_BEGUN_PROBLEM } from '../../agent/store/interrupted-calls.js';
import { INTERRUPTED_WHILE_RUNNING } from '../../calls/failure-text.js';
import type { Message, ToolResultBlock } from '../../contract/message.js';
import type { Tool, ToolDisplay } from '../../contract/tool.js';
import { withShownPaths } from '../../display/shown-path.js';
import { homeFolder } from '../../platform/files/paths.js';
import type { Theme } from '../screen/theme.js';
import { CallGroup } from '../views/call-group.js';
import { CallView } from '../views/call-view.js';
import type { EventViews } from '../views/event-views.js';
import { MarkdownView } from '../views/markdown-view.js';
import { interruptedNotice, NoticeView } from '../views/notice-view.js';
import { PromptView } from '../views/prompt-view.js';
import { StreamedCall } from '../views/streamed-call.js';
import type { OpenedSession, PastFailures } from './opened-session.js';
import { hintWithoutModel } from './setup-hint.js';

const SHOWN_MESSAGES = 20; // the rest is in the session's file

interface HistoryOptions {
  theme: Theme;
  findTool(name: string): Tool | undefined;
  shorten(text: string): string;
  /** What the person saw of past calls. */
  past?: Pick<OpenedSession, 'failures' | 'displays' | 'interrupted'>;
  /** What to do if the last thing that happened is an interrupt, if it is not the usual. */
  afterStop?: string | undefined;
}

/** The last messages of a resumed conversation as views, each with whether an empty line precedes it. */
export async function historyViews(
  messages: readonly Message[],
  { theme, findTool, shorten, past = {}, afterStop }: HistoryOptions,
): Promise<Array<{ view: Component; hasGap: boolean }>> {
  const shown = messages.slice(-SHOWN_MESSAGES);
  const results = new Map<string, ToolResultBlock>();
  for (const { content } of shown) {
    for (const block of content) if (block.type === 'tool_result') results.set(block.tool_use_id, block);
  }
  const views: Array<{ view: Component; hasGap: boolean }> = [];
  const left = messages.length - shown.length;
  if (left > 0) {
    views.push({ view: new NoticeView(theme, 'info', `${left} earlier messages are not shown.`), hasGap: true });
  }
  /** A call since the last prompt says itself that it was interrupted. */
  let saysInterrupted = false;
  for (const message of shown) {
    const { role, content } = message;
    for (const block of content) {
      if (block.type === 'text' && isPersonText(block.text)) {
        const afterCall = saysInterrupted;
        if (role === 'user') saysInterrupted = false;
        const view =
          role === 'assistant'
            ? new MarkdownView(theme, block.text)
            : isInterruption(block)
              ? block.text === INTERRUPTED
                ? interruptedNotice(theme, { afterCall, next: message === shown.at(-1) ? afterStop : undefined })
                : new NoticeView(theme, 'warning', block.text)
              : new PromptView(theme, block.text);
        views.push({ view, hasGap: true });
      } else if (block.type === 'tool_use') {
        const display =
          past.displays?.get(block.id) ?? withoutBody(await displayOf(findTool(block.name), block.name, block.input));
        const last = views.at(-1)?.view;
        const group = last instanceof CallGroup ? last : new CallGroup(theme, { shorten });
        if (group !== last) views.push({ view: group, hasGap: true });
        const failed = results.get(block.id)?.is_error ? (past.failures?.get(block.id) ?? UNTOLD) : undefined;
        const isQuestion = isUnanswered(findTool(block.name), failed);
        const call = pastCall({ theme, tool: block.name, display, shorten, isQuestion }, failed);
        saysInterrupted ||= call.view.state === 'interrupted';
        group.add(call);
      }
    }
  }
  const drawn = new Set(shown.flatMap(({ content }) => content.map((block) => block.type === 'tool_use' && block.id)));
  for (const note of interruptionNotes((past.interrupted ?? []).filter(({ id }) => !drawn.has(id)))) {
    views.push({ view: new NoticeView(theme, 'warning', note), hasGap: true });
  }
  return views;
}

interface OpenedOptions {
  theme: Theme;
  root: string;
  /** Whether its history is shown: not after `/rewind`, which leaves it on the screen. */
  hasHistory: boolean;
}

/** Shows the history of a conversation that was opened, and how to set up a model if it has none. */
export async function showOpened(
  views: Pick<EventViews, 'show'>,
  opened: OpenedSession,
  { theme, root, hasHistory }: OpenedOptions,
): Promise<void> {
  const { tools } = opened.engine.session;
  const goals = opened.agent?.goals;
  const goal = goals?.stored;
  const history = hasHistory ? opened.history : [];
  const isStopped =
    goal?.isPaused && history.at(-1)?.content.some((block) => block.type === 'text' && block.text === INTERRUPTED);
  for (const { view, hasGap } of await historyViews(history, {
    theme,
    findTool: (name) => tools.find(name),
    shorten: (text) => withShownPaths(text, { root, home: homeFolder() }),
    past: opened,
    afterStop: isStopped ? pausedNotice(goal) : undefined,
  })) {
    views.show(view, { hasGap });
  }
  if (goals) goals.isNews = false;
  if (goal && !isStopped) views.show(new NoticeView(theme, 'info', openedNotice(goal)), { hasGap: true });
  const hint = opened.withoutModel === undefined ? undefined : await hintWithoutModel(opened);
  if (hint === undefined) return;
  views.show(new NoticeView(theme, opened.namedModelProblem ? 'warning' : 'info', hint), { hasGap: true });
}

async function displayOf(tool: Tool | undefined, name: string, input: unknown): Promise<ToolDisplay> {
  await tool?.load().catch(() => {}); // if its code can't be loaded, it is shown by its name
  try {
    return tool?.displayCall(input) ?? { title: name };
  } catch {
    return { title: name };
  }
}

/** The display of a call says what it wants to do, not what it did. */
const withoutBody = ({ title, looks }: ToolDisplay): ToolDisplay => ({ title, ...(looks && { looks }) });

/** A tool that asks the person was interrupted after it had begun to ask. */
const isUnanswered = (tool: Tool | undefined, failed: PastFailure | undefined): boolean =>
  tool?.needsPerson === true && beganProblems.some((problem) => failed?.problem === problem);

const beganProblems = [INTERRUPTED_WHILE_RUNNING, INTERRUPTED_PROBLEM, NOT_BEGUN_PROBLEM];

interface PastCall {
  theme: Theme;
  tool: string;
  display: ToolDisplay;
  shorten(text: string): string;
  isQuestion: boolean;
}

/** Sessions of version 0.1.0 keep only what the model was told. */
const UNTOLD = { kind: 'exception', problem: undefined } as const;

type PastFailure = NonNullable<ReturnType<PastFailures['get']>>;

function pastCall(
  { theme, tool, display, shorten, isQuestion }: PastCall,
  failed: PastFailure | undefined,
): StreamedCall {
  const now = (): number => 0;
  const view = new CallView(theme, { tool, now, shorten });
  if (isQuestion) view.question();
  const { background: _, ...shown } = display; // it has ended with its process
  view.end({ display: shown, failure: failed?.kind, problem: failed?.problem });
  return new StreamedCall(view, now);
}
