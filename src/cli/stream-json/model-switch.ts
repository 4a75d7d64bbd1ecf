// Another model for the prompts that follow: hooks of the host are asked before, and informed afterwards.
import type { Model } from '../../contract/model.js';
import type { Line } from './control-channel.js';
import type { HostPort } from './host-handlers.js';
import { RequestRefused } from './host-requests.js';

export async function switchModel(port: HostPort, name: string | undefined): Promise<Line> {
  const { options, hooks, parts } = port;
  const { model, agent } = await parts;
  const wanted = await options.findModel(name);
  const base = { session_id: agent.id, cwd: agent.session.cwd, transcript_path: '' };
  const switched = { from_model: model.name, to_model: wanted.name, requested_model: name ?? null, source: 'sdk' };
  const facts = { ...base, ...switched, ...cacheFacts(port, wanted) };
  const objection = await hooks.fire('PreModelSwitch', facts);
  if (objection !== undefined) throw new RequestRefused(`A hook keeps the model as it is: ${objection}`);
  options.useModel(wanted);
  await hooks.fire('PostModelSwitch', facts);
  return { model: `${wanted.provider}/${wanted.name}` };
}

/** What it costs that the other model has nothing of the conversation cached. */
function cacheFacts({ totals }: HostPort, { facts: { prices } = {} }: Model): Line {
  const { contextTokens } = totals;
  const price = prices ? (prices.cacheWrite ?? prices.input) : 0;
  return {
    context_tokens: contextTokens,
    prompt_cache_warm: totals.isCacheWarm(Date.now()),
    cache_ttl: '5m',
    estimated_cache_write_usd: (contextTokens * price) / 1_000_000,
    pricing: prices ? 'catalog' : 'default',
  };
}
