// When each call waited, for what, and when it ran. Bars for the eye, a table for everything else.
import { useMemo, useRef, useState } from 'preact/hooks';
import type { WaitReason } from '../../contract/call-timing.js';
import { callName } from '../../display/shown-tool.js';
import type { TimelineCall } from '../../host/session-timeline.js';
import { shortDuration } from '../../platform/text/duration.js';
import { visibleLine } from '../../platform/text/visible-lines.js';
import { address } from '../store/route.js';
import type { SessionStore } from '../store/session-store.js';
import { barsOf, type Span, type TimeScale, ticks, timeScale } from '../store/time-scale.js';
import { Timeline, type TimelineOfSession } from '../store/timeline.js';
import { useApp } from '../store/web-app.js';
import { useLoaded } from './use-loaded.js';

const EVERY_MS = 1_000;
const MOST_ROWS = 400;

export const waitWords: Readonly<Record<WaitReason, string>> = {
  earlier_call: 'waits for an earlier call',
  question: 'waits for an answer',
  hook: 'waits for a hook',
  slot: 'waits for a free slot',
  machine: 'waits for the machine',
};

const outcomeWords = {
  running: 'not ended',
  completed: 'completed',
  failed: 'failed',
  denied: 'denied',
  unknown: 'outcome unknown',
} as const satisfies Record<TimelineCall['outcome'], string>;

const legend = [
  ...(['earlier_call', 'question', 'hook', 'slot', 'machine'] as const).map(
    (reason) => [reason, waitWords[reason]] as const,
  ),
  ['run', 'runs'] as const,
];

export function TimelinePage({ store }: { store: SessionStore }) {
  const app = useApp();
  const timeline = useMemo(() => new Timeline(app.link, store.id), [store]);
  const { value, problem } = useLoaded(() => timeline.load(), store, EVERY_MS);
  const [isTable, setTable] = useState(false);
  const [range, setRange] = useState<'all' | 'last'>('last');
  const calls = !value ? [] : range === 'last' ? lastRound(value) : value.calls.slice(-MOST_ROWS);
  return (
    <div class="page wide timeline-page">
      <div class="page-head">
        <h2>When each call ran</h2>
        <span class="spacer" />
        <div class="segmented" role="group" aria-label="Range">
          <button type="button" aria-pressed={range === 'last'} onClick={() => setRange('last')}>
            Last prompt
          </button>
          <button type="button" aria-pressed={range === 'all'} onClick={() => setRange('all')}>
            All
          </button>
        </div>
        <div class="segmented" role="group" aria-label="Form">
          <button type="button" aria-pressed={!isTable} onClick={() => setTable(false)}>
            Bars
          </button>
          <button type="button" aria-pressed={isTable} onClick={() => setTable(true)}>
            Table
          </button>
        </div>
      </div>
      {problem !== '' && <p class="failure">{problem}</p>}
      {value && calls.length === 0 && <p class="empty">No call has been made yet.</p>}
      {calls.length > 0 && (isTable ? <CallTable calls={calls} store={store} /> : <Bars calls={calls} store={store} />)}
    </div>
  );
}

/** The calls of the last prompt that made any. */
function lastRound({ calls, promptAt }: TimelineOfSession): readonly TimelineCall[] {
  const since = promptAt ?? 0;
  const recent = calls.filter(({ queuedAt, endedAt }) => queuedAt >= since || endedAt === null || endedAt >= since);
  return (recent.length > 0 || calls.length === 0 ? recent : calls).slice(-MOST_ROWS);
}

function Bars({ calls, store }: { calls: readonly TimelineCall[]; store: SessionStore }) {
  const scale = useMemo(() => timeScale(calls, Date.now()), [calls]);
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -calls.length, End: calls.length }[
      event.key
    ];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(calls.length - 1, chosen + step));
    setChosen(next);
    list.current?.querySelectorAll<HTMLElement>('.bar-row')[next]?.focus();
  };
  const current = calls[Math.min(chosen, calls.length - 1)];
  return (
    <>
      <ul class="legend" aria-hidden="true">
        {legend.map(([kind, words]) => (
          <li key={kind}>
            <span class={`swatch bar-${kind}`} /> {words}
          </li>
        ))}
      </ul>
      <div class="bars" ref={list} role="list" aria-label="Calls in their order" onKeyDown={move}>
        <div class="bars-axis" aria-hidden="true">
          {ticks(scale).map(({ at, label }) => (
            <span key={label} style={{ left: percent(scale, at) }}>
              {label}
            </span>
          ))}
        </div>
        {calls.map((call, index) => (
          <BarRow
            key={call.callId}
            call={call}
            scale={scale}
            isChosen={index === chosen}
            onChoose={() => setChosen(index)}
          />
        ))}
      </div>
      {current && <Details call={current} store={store} />}
    </>
  );
}

interface BarRowProps {
  call: TimelineCall;
  scale: TimeScale;
  isChosen: boolean;
  onChoose(): void;
}

function BarRow({ call, scale, isChosen, onChoose }: BarRowProps) {
  return (
    <div role="listitem">
      <button
        type="button"
        class={`bar-row ${call.outcome} ${isChosen ? 'chosen' : ''} ${call.parentCallId === undefined ? '' : 'child'}`}
        tabIndex={isChosen ? 0 : -1}
        aria-label={inWords(call, scale.now)}
        onFocus={onChoose}
        onClick={onChoose}
      >
        <span class="bar-name">
          <strong>{callName(call)}</strong> {visibleLine(call.title)}
        </span>
        <span class="bar-track">
          {barsOf(call, scale.now).map((span, index) => (
            <span
              key={index}
              class={`bar bar-${span.kind}`}
              style={{ left: percent(scale, span.from), width: width(scale, span) }}
            />
          ))}
        </span>
      </button>
    </div>
  );
}

/** Most calls of a tool take less than a tenth of a second. */
const exactDuration = (ms: number): string => (ms < 100 ? `${Math.round(ms)} ms` : shortDuration(ms));

const percent = ({ from, to }: TimeScale, at: number): string => `${(((at - from) / (to - from)) * 100).toFixed(3)}%`;

const width = ({ from, to }: TimeScale, span: Span): string =>
  `max(2px, ${(((span.to - span.from) / (to - from)) * 100).toFixed(3)}%)`;

/** All that the bars of a call say. */
function inWords(call: TimelineCall, now: number): string {
  const parts = barsOf(call, now).map(({ kind, from, to, detail }) => {
    const words = kind === 'run' ? 'ran' : waitWords[kind].replace('waits', 'waited');
    return `${words} ${exactDuration(to - from)}${detail === undefined ? '' : ` (${detail})`}`;
  });
  const agent = call.agent === undefined ? '' : `${call.agent} agent, `;
  return `${agent}${callName(call)} ${visibleLine(call.title)}: ${parts.join(', ')}${`, ${outcomeWords[call.outcome]}`}`;
}

function Details({ call, store }: { call: TimelineCall; store: SessionStore }) {
  const now = Date.now();
  return (
    <section class="bar-details card" aria-label="The chosen call">
      <h3>
        {callName(call)} <span class="muted">{visibleLine(call.title)}</span>
      </h3>
      <ul>
        {barsOf(call, now).map(({ kind, from, to, detail }, index) => (
          <li key={index}>
            <span class={`swatch bar-${kind}`} aria-hidden="true" />{' '}
            {kind === 'run' ? 'ran' : waitWords[kind].replace('waits', 'waited')} {exactDuration(to - from)}
            {detail !== undefined && <span class="muted"> {visibleLine(detail)}</span>}
          </li>
        ))}
        <li class="muted">{outcomeWords[call.outcome]}</li>
      </ul>
      <a href={address({ page: 'session', id: store.id, tab: 'conversation', call: call.callId })}>To the call</a>
    </section>
  );
}

const CallTable = ({ calls, store }: { calls: readonly TimelineCall[]; store: SessionStore }) => {
  const now = Date.now();
  const first = calls[0]?.queuedAt ?? 0;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Calls and their times">
      <table class="data">
        <thead>
          <tr>
            <th>Call</th>
            <th>Began after</th>
            <th>Waited</th>
            <th>Waited for</th>
            <th>Ran</th>
            <th>Outcome</th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => {
            const spans = barsOf(call, now);
            const waits = spans.filter(({ kind }) => kind !== 'run');
            const sum = (some: readonly Span[]): string =>
              exactDuration(some.reduce((total, { from, to }) => total + to - from, 0));
            return (
              <tr key={call.callId}>
                <th scope="row">
                  <a href={address({ page: 'session', id: store.id, tab: 'conversation', call: call.callId })}>
                    {callName(call)}
                  </a>{' '}
                  <span class="muted">{visibleLine(call.title)}</span>
                </th>
                <td>{shortDuration(call.queuedAt - first)}</td>
                <td>{waits.length === 0 ? '–' : sum(waits)}</td>
                <td>
                  {[
                    ...new Set(
                      waits.map(({ kind }) => (kind === 'run' ? '' : waitWords[kind].replace('waits for ', ''))),
                    ),
                  ].join(', ')}
                </td>
                <td>{call.startedAt === null ? '–' : sum(spans.filter(({ kind }) => kind === 'run'))}</td>
                <td>{outcomeWords[call.outcome]}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
};
