import type { Effort } from '../../../contract/model.js';

interface GeminiVersion {
  major: number;
  minor: number;
}

/** From "gemini-3.8-flash"; names without a version, such as "gemini-flash-latest", mean the newest model. */
function versionOf(name: string): GeminiVersion {
  const { major, minor = '0' } = /gemini-(?<major>\d+)(?:\.(?<minor>\d+))?/.exec(name)?.groups ?? {};
  return major === undefined
    ? { major: Number.POSITIVE_INFINITY, minor: 0 }
    : { major: Number(major), minor: Number(minor) };
}

/** Whether the model refuses a call in the history without a thought signature, and takes images in function responses. */
export const isGemini3 = (name: string): boolean => versionOf(name).major >= 3;

// The budgets that Google documents as equal to the levels of its OpenAI-compatible endpoint.
const BUDGETS = { low: 1024, medium: 8192, high: 24_576, max: 24_576 } as const;
const PRO_BUDGETS = { ...BUDGETS, none: 128, max: 32_768 } as const; // the pro model can't turn thinking off

const LEVELS = { low: 'LOW', medium: 'MEDIUM', high: 'HIGH', max: 'HIGH' } as const;

/**
 * The request field that sets how much a Gemini model thinks, and asks for summaries of its thoughts. Undefined for
 * models that can't think, which refuse the field.
 * https://ai.google.dev/gemini-api/docs/thinking
 */
export function thinkingConfig(name: string, effort: Effort | undefined): Record<string, unknown> | undefined {
  const { major, minor } = versionOf(name);
  if (!name.includes('gemini') || major < 2 || (major === 2 && minor < 5)) return undefined;
  if (effort === undefined) return { includeThoughts: true };
  if (major >= 3) {
    return { includeThoughts: true, thinkingLevel: effort === 'none' ? leastLevel(name) : LEVELS[effort] };
  }
  if (name.includes('-pro')) return { includeThoughts: true, thinkingBudget: PRO_BUDGETS[effort] };
  return effort === 'none' ? { thinkingBudget: 0 } : { includeThoughts: true, thinkingBudget: BUDGETS[effort] };
}

/** The flash models took a minimal level until 3.6, the lite ones still do; all others refuse it. */
function leastLevel(name: string): 'MINIMAL' | 'LOW' {
  const { major, minor } = versionOf(name);
  return name.includes('-flash-lite') || (name.includes('-flash') && major === 3 && minor <= 6) ? 'MINIMAL' : 'LOW';
}
