import type { Effort } from '../../../contract/model.js';

// The share of the output that may be thinking, for models that take a token budget. The rest is for text and calls.
const BUDGET_SHARE = { low: 1 / 8, medium: 1 / 4, high: 1 / 2, max: 3 / 4 } as const;
const LEAST_BUDGET = 1024; // the API's minimum

/**
 * The request fields that set how much a Claude model thinks. Since version 4.6 models take a level, before that a
 * token budget; which models can turn thinking off differs.
 * https://platform.claude.com/docs/en/build-with-claude/thinking
 */
export function anthropicEffort(
  name: string,
  effort: Effort | undefined,
  maxOutputTokens: number,
): Record<string, unknown> {
  const model = parseName(name);
  if (effort === undefined) return model ? recommended(model) : {};
  if (model && model.version < 3.7) return {}; // they can't think, and refuse the field
  if (!model || model.version < 4.6) return withBudget(effort, maxOutputTokens);
  if (effort === 'none') return withoutThinking(model);
  return { thinking: adaptive(model), output_config: { effort } };
}

/**
 * Adaptive thinking is what the vendor recommends for work with tools since 4.6, but the API leaves it off unless asked.
 * Haiku is chosen for quick tasks, such as reading a page for another model.
 */
const recommended = (model: ClaudeName): Record<string, unknown> =>
  model.version < 4.6 || model.family === 'haiku' ? {} : { thinking: adaptive(model) };

/** Since 4.7 the API sends the text of thinking only if asked. */
const adaptive = ({ version }: ClaudeName): Record<string, unknown> => ({
  type: 'adaptive',
  ...(version > 4.6 && { display: 'summarized' }),
});

function withBudget(effort: Effort, maxOutputTokens: number): Record<string, unknown> {
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  const budget = Math.max(LEAST_BUDGET, Math.floor(maxOutputTokens * BUDGET_SHARE[effort]));
  return budget < maxOutputTokens ? { thinking: { type: 'enabled', budget_tokens: budget } } : {};
}

function withoutThinking({ family, version }: ClaudeName): Record<string, unknown> {
  if (family === 'sonnet' && version === 5.5) return { thinking: { type: 'between_tools' } };
  const canStop = version < 5.5 ? !['fable', 'mythos'].includes(family) : family === 'haiku' && version === 5.5;
  return canStop ? { thinking: { type: 'disabled' } } : { output_config: { effort: 'low' } };
}

interface ClaudeName {
  family: string;
  version: number;
}

/** "claude-sonnet-5-5", "claude-opus-4-5-20251101", "claude-3-7-sonnet-latest"; undefined for other forms. */
function parseName(name: string): ClaudeName | undefined {
  const {
    family,
    major,
    minor = '0',
  } = /claude-(?<family>[a-z]+)-(?<major>\d)(?:[-.](?<minor>\d))?(?!\d)/.exec(name)?.groups ??
  /claude-(?<major>\d)(?:[-.](?<minor>\d))?-(?<family>[a-z]+)/.exec(name)?.groups ??
  {};
  return family && major ? { family, version: Number(`${major}.${minor}`) } : undefined;
}
