// One call: a line that says what it does and how it went, and its display below when it is open.
import type { ReadonlySignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import {
  type CallState,
  callFacts,
  callRoles,
  callSigns,
  callStateWords,
  callTitle,
  endStateOf,
  hasCallFailed,
  isRefusedText,
  problemLines,
  problemRole,
  type ShownCall,
  showsFailedBody,
  writtenByWords,
} from '../../display/call-words.js';
import { looksWords } from '../../display/looks-words.js';
import { withShownPaths } from '../../display/shown-path.js';
import type { FeedCall } from '../../host/session-feed.js';
import { counted } from '../../platform/text/counted.js';
import { visibleLine } from '../../platform/text/visible-lines.js';
import type { CallSignal, SessionStore } from '../store/session-store.js';
import { useApp } from '../store/web-app.js';
import { DisplayBodyView } from './display-body.js';
import { Icon } from './icons.js';
import { Output } from './output.js';

const FEW_NAMES = 4;
const TAIL_LINES = 6;

/** Bodies that are open from the start: a person wants to see what was changed, and what a failed command said. */
const isOpenAtFirst = (call: FeedCall, state: CallState): boolean => {
  const { body } = call.display;
  if (!body) return false;
  if (body.type === 'diff') return state === 'done' || state === 'denied';
  return (body.type === 'output' && state === 'failed') || body.type === 'markdown';
};

export function stateOf(call: FeedCall, isAsked: boolean): CallState {
  if (call.status === 'completed') return 'done';
  if (call.status === 'failed') return endStateOf(call.failure ?? 'exception');
  if (isAsked) return 'asking';
  return call.status === 'running' ? 'running' : 'waiting';
}

const isAskedAbout = (store: SessionStore, callId: string): boolean =>
  store.questions.value.some(({ question }) =>
    question.kind === 'permission'
      ? question.question.callId === callId
      : question.kind === 'choices' && question.callId === callId,
  );

/** Calls that follow each other. Those that only look are one line until they are opened. */
export function Calls({ calls, store }: { calls: ReadonlySignal<readonly CallSignal[]>; store: SessionStore }) {
  const groups: CallSignal[][] = [];
  for (const call of calls.value) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    if (last && first && canFold(call.value) && canFold(first.value)) last.push(call);
    else groups.push([call]);
  }
  return (
    <div class="calls">
      {groups.map((group) => {
        const [first] = group;
        if (!first) return null;
        if (group.length > 1) return <Looks key={first.peek().id} calls={group} store={store} />;
        return <Call key={first.peek().id} call={first} store={store} />;
      })}
    </div>
  );
}

const canFold = ({ display, status }: FeedCall): boolean => display.looks !== undefined && status !== 'failed';

function Looks({ calls, store }: { calls: readonly CallSignal[]; store: SessionStore }) {
  const app = useApp();
  const [isOpen, setOpen] = useState(() => calls.some((call) => call.peek().id === app.routeCall.peek()));
  const isRunning = calls.some(({ value }) => value.status !== 'completed');
  const shown = (text: string): string => visibleLine(shortenIn(store)(text));
  const parts = looksWords(
    calls.map(({ value }) => value.display),
    { isRunning, form: { hasFacts: true, names: FEW_NAMES }, shown },
  );
  return (
    <div class="call">
      <button type="button" class="call-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <StateSign state={isRunning ? 'running' : 'done'} />
        <span class="call-title">
          {parts.map(({ verb, subjects }, index) => (
            <span key={verb}>
              {index > 0 && <span class="muted"> · </span>}
              <strong>{verb}</strong>{' '}
              {subjects.map(({ text, aside }, at) => (
                <span key={text}>
                  {at > 0 && ', '}
                  {text}
                  {aside !== undefined && <span class="muted"> ({aside})</span>}
                </span>
              ))}
            </span>
          ))}
        </span>
        <Icon name="chevron" />
      </button>
      {isOpen && (
        <div class="call-inner">
          {calls.map((call) => (
            <Call key={call.peek().id} call={call} store={store} />
          ))}
        </div>
      )}
    </div>
  );
}

const shortenIn =
  (store: SessionStore) =>
  (text: string): string =>
    withShownPaths(text, { root: store.root.value, home: undefined });

function Call({ call: source, store }: { call: CallSignal; store: SessionStore }) {
  const call = source.value;
  const target = useApp().routeCall.value;
  const [chosen, setChosen] = useState<boolean | undefined>(undefined);
  const state = stateOf(call, isAskedAbout(store, call.id));
  const facts: ShownCall = { ...call, state, shorten: shortenIn(store) };
  const { action, title } = callTitle(facts);
  const [problem = '', ...moreProblem] = problemLines(facts);
  const { body } = call.display;
  const wasAsked = store.asked.has(call.id);
  const hasBody = body !== undefined && (!hasCallFailed(state) || showsFailedBody(body, state, wasAsked));
  const children = store.children.get(call.id)?.value ?? [];
  const isRunning = state === 'running';
  const canOpen = hasBody || children.length > 0;
  const isOpen =
    chosen ??
    (isOpenAtFirst(call, state) ||
      (isRunning && children.length > 0) ||
      children.some((child) => child.peek().id === target));
  return (
    <div class={call.id === target ? `call ${state} target` : `call ${state}`} data-call={call.id}>
      <CallLine facts={facts} isOpen={isOpen} canOpen={canOpen} onToggle={() => setChosen(!isOpen)}>
        <StateSign state={state} />
        <span class="call-title">
          <strong>{action}</strong> {title}
        </span>
        <Facts facts={facts} problem={moreProblem.length > 0 ? '' : problem} />
      </CallLine>
      {moreProblem.length > 0 && <p class={`problem ${problemRole(state)}`}>{[problem, ...moreProblem].join('\n')}</p>}
      {isRunning && call.progress && children.length === 0 && <Output text={lastLines(call.progress)} isDim />}
      {isOpen && children.length > 0 && <Children calls={children} store={store} />}
      {isOpen && hasBody && (
        <div class={isRefusedText(body, state, wasAsked) ? 'call-body refused' : 'call-body'}>
          {call.display.writtenBy !== undefined && <p class="muted">{writtenByWords(call.display.writtenBy)}</p>}
          <DisplayBodyView body={body} isDim={!hasCallFailed(state)} />
        </div>
      )}
    </div>
  );
}

interface CallLineProps {
  facts: ShownCall;
  isOpen: boolean;
  canOpen: boolean;
  onToggle(): void;
  children: preact.ComponentChildren;
}

/** A button only if there is something to open. */
function CallLine({ isOpen, canOpen, onToggle, children }: CallLineProps) {
  if (!canOpen) return <div class="call-line">{children}</div>;
  return (
    <button type="button" class="call-line" aria-expanded={isOpen} onClick={onToggle}>
      {children}
      <Icon name="chevron" />
    </button>
  );
}

function Facts({ facts, problem }: { facts: ShownCall; problem: string }) {
  const word = callStateWords[facts.state];
  return (
    <span class="call-facts">
      {problem !== '' ? (
        <span class={problemRole(facts.state)}>{problem}</span>
      ) : (
        word !== undefined && <span class="muted">{word}</span>
      )}
      {callFacts(facts).map((group, index) => (
        <span key={index}>
          {group.map(({ kind, text }) => (
            <span key={text} class={kind === 'fact' ? 'muted' : `count-${kind}`}>
              {text}{' '}
            </span>
          ))}
        </span>
      ))}
    </span>
  );
}

/** The sign of a state; its word is for screen readers. */
export function StateSign({ state }: { state: CallState }) {
  return (
    <>
      <span class={`sign role-${callRoles[state]}`} aria-hidden="true">
        {callSigns[state]}
      </span>
      <span class="unseen">{state === 'done' ? 'done' : state}: </span>
    </>
  );
}

/** What a child agent did, as a tree. */
function Children({ calls, store }: { calls: readonly CallSignal[]; store: SessionStore }) {
  const target = useApp().routeCall.peek();
  const isTargetIn = calls.some((call) => call.peek().id === target);
  const [shows, setShows] = useState(isTargetIn ? Number.POSITIVE_INFINITY : 8);
  const hidden = Math.max(0, calls.length - shows);
  return (
    <div class="children" role="group" aria-label={`${calls[0]?.value.agent?.type ?? 'child'} agent`}>
      {hidden > 0 && (
        <button type="button" class="link" onClick={() => setShows(Number.POSITIVE_INFINITY)}>
          {counted(hidden, 'earlier call')}
        </button>
      )}
      {calls.slice(hidden).map((call) => (
        <Call key={call.peek().id} call={call} store={store} />
      ))}
    </div>
  );
}

const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
