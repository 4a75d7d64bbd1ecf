import { MAX_TIMER_MS } from '../../platform/clock.js';
import { conversationFlags, readArgs } from '../args.js';
import { type RunFlags, readRunFlags } from '../run-flags.js';
import { telemetryFlags, withDebugFile } from '../telemetry-flags.js';
import { UsageProblem } from '../usage-problem.js';

const DEFAULT_ANSWER_MS = 10 * 60_000; // a person may be away for a while
const unitMs: Readonly<Record<string, number>> = { '': 1_000, s: 1_000, m: 60_000, h: 3_600_000 };

export interface AcpFlags {
  flags: RunFlags;
  /** How long a client may take to answer a question; undefined for any time. */
  answerLimitMs: number | undefined;
}

const flags = { ...conversationFlags, ...telemetryFlags, 'answer-timeout': { type: 'string' } } as const;

export function readAcpFlags(argv: readonly string[]): AcpFlags {
  const { values, positionals } = readArgs(withDebugFile(argv), flags);
  if (positionals[0] !== undefined) {
    throw new UsageProblem(`helve acp takes no argument such as "${positionals[0]}": prompts come from its client.`);
  }
  if (values.until !== undefined && values.goal === undefined) {
    throw new UsageProblem('helve acp takes --until with --goal, which says what is to be done in each new session.');
  }
  return {
    flags: readRunFlags(withoutAnswerTimeout(argv), { isInteractive: true }),
    answerLimitMs: readAnswerTimeout(values['answer-timeout']),
  };
}

function withoutAnswerTimeout(argv: readonly string[]): string[] {
  const at = argv.findIndex((word) => word === '--answer-timeout' || word.startsWith('--answer-timeout='));
  return at < 0 ? [...argv] : argv.toSpliced(at, argv[at]?.includes('=') ? 1 : 2);
}

function readAnswerTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return DEFAULT_ANSWER_MS;
  const [, number, unit = ''] = /^(\d{1,6}(?:\.\d+)?)([smh]?)$/.exec(text.trim()) ?? [];
  const milliseconds = Number(number) * (unitMs[unit] ?? Number.NaN);
  if (milliseconds === 0) return undefined;
  if (milliseconds > 0) return Math.min(milliseconds, MAX_TIMER_MS);
  throw new UsageProblem(`--answer-timeout takes a time such as 90s, 10m or 2h, or 0 for any time, but was "${text}".`);
}
