// What a call says in its line and below it, at each stage: the same words at a terminal and in a browser.
import type { FailureKind } from '../contract/failure.js';
import type { DisplayBody, ToolDisplay } from '../contract/tool.js';
import { counted } from '../platform/text/counted.js';
import { visibleLine, visibleLines } from '../platform/text/visible-lines.js';
import { patchCounts } from './patch-rows.js';
import { callName, shownTool } from './shown-tool.js';

const MAX_TITLE_CHARS = 2_000;

/** The stage of a call. */
export type CallState =
  | 'input'
  | 'waiting'
  | 'asking'
  | 'running'
  | 'done'
  | 'failed'
  | 'denied'
  | 'unanswered'
  | 'interrupted';

export const callSigns: Readonly<Record<CallState, string>> = {
  input: '○',
  waiting: '○',
  asking: '?',
  running: '●',
  done: '✓',
  failed: '✗',
  denied: '⊘',
  unanswered: '⊘',
  interrupted: '■',
};

/** How each stage is coloured. */
export const callRoles = {
  input: 'muted',
  waiting: 'muted',
  asking: 'warning',
  running: 'accent',
  done: 'success',
  failed: 'failure',
  denied: 'failure',
  unanswered: 'warning',
  interrupted: 'warning',
} as const;

/** The stages that have a word of their own, shown where no problem says more. */
export const callStateWords: Readonly<Partial<Record<CallState, string>>> = {
  input: '…',
  waiting: 'waiting',
  asking: 'asks',
  failed: 'failed',
  denied: 'denied',
  unanswered: 'not answered',
  interrupted: 'interrupted',
};

export const hasCallFailed = (state: CallState): boolean =>
  state === 'failed' || state === 'denied' || state === 'unanswered' || state === 'interrupted';

export const isCallOver = (state: CallState): boolean => state === 'done' || hasCallFailed(state);

export function endStateOf(failure: FailureKind | undefined): CallState {
  if (failure === undefined) return 'done';
  if (failure === 'permission_denied') return 'denied';
  return failure === 'interrupted' ? 'interrupted' : 'failed';
}

/** `shorten` abbreviates paths in what is shown. */
export interface ShownCall {
  tool: string;
  display: ToolDisplay;
  state: CallState;
  problem?: string | undefined;
  shorten(text: string): string;
}

/** The action, and the subject if it says more. */
export function callTitle({ tool, display, shorten }: Pick<ShownCall, 'tool' | 'display' | 'shorten'>) {
  const action = callName({ tool, action: display.action });
  const title = visibleLine(shorten(display.title.slice(0, MAX_TITLE_CHARS)));
  return { action, title: title === action.toLowerCase() ? '' : title };
}

/** What went wrong; a single sentence as a part of a line. */
export function problemLines({ display, problem = '', shorten }: ShownCall): string[] {
  const lines = visibleLines(shorten(problem).trim());
  const [only = ''] = lines;
  if (lines.length > 1 || /[.!?] /.test(only)) return lines;
  const isPlan = display.body?.type === 'markdown';
  return [asPhrase(isPlan ? only.replace(/^You refused it/, 'Rejected') : only)];
}

export const problemRole = (state: CallState): 'failure' | 'warning' => (state === 'failed' ? 'failure' : 'warning');

/** One fact beside the title. */
export type CallFact = { kind: 'fact' | 'added' | 'removed'; text: string };

/** Facts about the result, then the size of a change; those of one group belong together. */
export function callFacts({ display, state, shorten }: ShownCall): CallFact[][] {
  const { body, facts = [] } = display;
  const told = facts.map((fact): CallFact[] => [{ kind: 'fact', text: visibleLine(shorten(fact)) }]);
  return state === 'done' && body?.type === 'diff' ? [...told, ...sizeOf(body.patch, facts)] : told;
}

function sizeOf(patch: string, facts: readonly string[]): CallFact[][] {
  const { added, removed, isNew } = patchCounts(patch);
  const known = facts.join(' ');
  if (isNew) {
    const words = ['created', counted(added, 'line')];
    return words.filter((word) => !known.includes(word)).map((text) => [{ kind: 'fact', text }]);
  }
  const size: CallFact[] = [
    ...(added > 0 ? [{ kind: 'added' as const, text: `+${added}` }] : []),
    ...(removed > 0 ? [{ kind: 'removed' as const, text: `-${removed}` }] : []),
  ];
  return size.length === 0 ? [] : [size];
}

/** Whether the body of a call that has failed is shown: of what was not done, the title is enough. */
export const showsFailedBody = (body: DisplayBody, state: CallState, wasAsked: boolean): boolean =>
  body.type === 'output' || isRefusedText(body, state, wasAsked);

/** A change that the person has read before they refused it stays: they may refer to it. */
export const isRefusedText = (body: DisplayBody, state: CallState, wasAsked: boolean): boolean =>
  state === 'denied' && wasAsked && (body.type === 'diff' || body.type === 'markdown');

/** Above a body that Helve has not written. */
export const writtenByWords = (writtenBy: string): string => `from ${shownTool(visibleLine(writtenBy))}:`;

/** A sentence as a part of a line: "Exit code 1" as "exit code 1". */
export const asPhrase = (sentence: string): string => {
  const bare = sentence.replace(/\.$/, '');
  return /^(?!Helve )[A-Z][a-z ]/.test(bare) ? `${bare.charAt(0).toLowerCase()}${bare.slice(1)}` : bare;
};
