import { type Effort, type Model, type ModelFacts, ModelFailure } from '../../contract/model.js';
import type { ModelPlan } from '../catalogue/plan-model.js';
import type { Authorization } from '../http/authorization.js';
import type { CloudSetup } from './cloud-setup.js';

const TEMPLATE = /\b(RESOURCE|REGION|LOCATION)\b/; // in an address of the catalogue

type Environment = Readonly<Record<string, string | undefined>>;

export interface CloudModelOptions {
  plan: ModelPlan;
  env: Environment;
  shared: {
    maxOutputTokens: number | undefined;
    effort?: Effort;
    facts?: ModelFacts;
    headers?: Readonly<Record<string, string>>;
  };
  authorization?: Authorization | undefined;
}

/** The adapter of the provider's cloud, loaded only now. */
export async function cloudModel({ plan, env, shared, authorization }: CloudModelOptions): Promise<Model> {
  const { provider, name, keyVariable, wire } = plan;
  const { maxOutputTokens, effort, facts, headers } = shared;
  const setup: CloudSetup = {
    ...{ provider: provider.id, name, env, maxOutputTokens, effort, facts, headers },
    baseUrl: TEMPLATE.test(plan.baseUrl) ? undefined : plan.baseUrl,
    baseUrlVariable: provider.baseUrlVariable ?? `"baseUrl" of ${provider.id} in models.json`,
    key: keyVariable === undefined ? undefined : { variable: keyVariable, value: env[keyVariable] ?? '' },
  };
  switch (provider.cloud) {
    case 'azure': {
      const { azureModel } = await import('./azure.js');
      return await azureModel({ ...setup, wire: wire === 'chat' ? 'chat' : 'responses', authorization });
    }
    case 'bedrock': {
      const { bedrockModel } = await import('./bedrock.js');
      return await bedrockModel(setup);
    }
    case 'vertex': {
      const { vertexModel } = await import('./vertex.js');
      return await vertexModel(setup);
    }
    case undefined:
      throw new ModelFailure('invalid_request', `${provider.title} is not a cloud.`);
  }
}
