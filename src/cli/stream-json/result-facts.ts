// The fields of a result line, of usage and of costs. Hosts calculate with these numbers, so none is left out or null:
// what is not known is 0, and a field beside it says so.
import type { RunOutcome } from '../../contract/event.js';
import type { Usage } from '../../contract/model.js';
import type { FinishedRun } from '../headless/finish-run.js';
import type { Line } from './control-channel.js';

const subtypes: Readonly<Partial<Record<RunOutcome, string>>> = { completed: 'success', max_turns: 'error_max_turns' };

export function resultFacts(run: FinishedRun): Line {
  return {
    type: 'result',
    subtype: run.subtype ?? subtypes[run.outcome] ?? 'error_during_execution',
    is_error: run.failed,
    duration_ms: Math.round(run.totalMs),
    duration_api_ms: Math.round(run.modelMs),
    num_turns: run.turns,
    result: run.text,
    stop_reason: run.stopReason,
    terminal_reason: run.terminalReason ?? run.outcome,
    ...costFacts(run.costUsd),
    ...(run.budget && { budget: run.budget }),
    usage: apiUsage(run.usage),
    modelUsage: modelUsage(run),
    permission_denials: run.denials.map(({ tool, callId, input }) => ({
      tool_name: tool,
      tool_use_id: callId,
      tool_input: input,
    })),
    ...(run.structuredOutput && { structured_output: run.structuredOutput.value }),
    ...(run.failed && { errors: [run.text] }),
  };
}

/** A cost without known prices is 0 and marked. */
export const costFacts = (costUsd: number | null): Line => ({
  total_cost_usd: costUsd ?? 0,
  cost_is_known: costUsd !== null,
});

/** With the fields that hosts of Anthropic's API read. Providers do not report them to Helve. */
export const apiUsage = (usage: Usage): Line => ({
  ...usage,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: 'standard',
  inference_geo: 'not_available',
  iterations: [],
  speed: 'standard',
  output_tokens_details: { thinking_tokens: 0 },
  fallback_credit: null,
});

/** By name, with the provider if two providers have a model of that name. */
export function modelUsage({ models = [] }: Pick<FinishedRun, 'models'>): Line {
  return Object.fromEntries(
    models.map(({ provider, name, usage, costUsd, contextTokens, maxOutputTokens }) => {
      const isOnly = models.every((other) => other.name !== name || other.provider === provider);
      const facts = {
        inputTokens: usage.input_tokens,
        outputTokens: usage.output_tokens,
        cacheReadInputTokens: usage.cache_read_input_tokens,
        cacheCreationInputTokens: usage.cache_creation_input_tokens,
        webSearchRequests: 0,
        costUSD: costUsd ?? 0,
        costIsKnown: costUsd !== null,
        contextWindow: contextTokens ?? 0,
        maxOutputTokens: maxOutputTokens ?? 0,
      };
      return [isOnly ? name : `${provider}/${name}`, facts];
    }),
  );
}
