// Times of calls as bars on one scale.
import type { WaitReason } from '../../contract/call-timing.js';
import type { TimelineCall } from '../../host/session-timeline.js';

export interface TimeScale {
  from: number;
  to: number;
  /** Where bars that have not ended end for now. */
  now: number;
}

export interface Span {
  kind: WaitReason | 'run';
  from: number;
  to: number;
  detail?: string;
}

const LEAST_MS = 100; // a scale of nothing can't be drawn

export function timeScale(calls: readonly TimelineCall[], now: number): TimeScale {
  const from = Math.min(...calls.map(({ queuedAt }) => queuedAt));
  const ends = calls.flatMap((call) => barsOf(call, now).map(({ to }) => to));
  return { from, to: Math.max(from + LEAST_MS, ...ends), now };
}

/** What a call waited for, in order, and when it ran. */
export function barsOf({ waits, startedAt, endedAt, outcome }: TimelineCall, now: number): Span[] {
  const end = endedAt ?? (outcome === 'running' ? now : (startedAt ?? now));
  const waited = waits.map(
    ({ reason, detail, from, to }): Span => ({
      kind: reason,
      from,
      to: Math.max(from, to ?? end),
      ...(detail !== undefined && { detail }),
    }),
  );
  return startedAt === null ? waited : [...waited, { kind: 'run', from: startedAt, to: Math.max(startedAt, end) }];
}

const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];

/** At most six marks with round distances. */
export function ticks({ from, to }: TimeScale): Array<{ at: number; label: string }> {
  const seconds = (to - from) / 1_000;
  const step = steps.find((each) => seconds / each <= 6) ?? seconds / 4;
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, index) => ({
    at: from + index * step * 1_000,
    label: tickLabel(index * step),
  }));
}

function tickLabel(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(1))}s`;
  if (seconds < 3_600) return `${Number((seconds / 60).toFixed(1))}m`;
  return `${Number((seconds / 3_600).toFixed(1))}h`;
}
