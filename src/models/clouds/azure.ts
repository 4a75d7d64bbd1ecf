import { type Model, ModelFailure } from '../../contract/model.js';
import type { Authorization } from '../http/authorization.js';
import { explainPage, type Judgement, type ServerError } from '../http/failures.js';
import type { CloudSetup } from './cloud-setup.js';

const TOKEN_VARIABLE = 'AZURE_OPENAI_AD_TOKEN';

export interface AzureSetup extends CloudSetup {
  wire: 'responses' | 'chat';
  authorization?: Authorization | undefined;
}

/**
 * A deployment of Azure OpenAI, by the v1 API. A dated version of the API in AZURE_OPENAI_API_VERSION selects the older
 * addresses, which have a path for each deployment and Chat Completions alone.
 */
export async function azureModel(setup: AzureSetup): Promise<Model> {
  const { provider, name, env, key, authorization } = setup;
  const resource = resourceAddress(setup.baseUrl, env);
  const version = env['AZURE_OPENAI_API_VERSION']?.trim() ?? '';
  const isDated = /^\d{4}-/.test(version);
  if (resource === undefined) throw noResource();
  if (key === undefined && authorization === undefined) throw noKey(setup.baseUrlVariable);
  const path = isDated ? `/openai/deployments/${encodeURIComponent(name)}` : '/openai/v1';
  const shared = {
    provider,
    name,
    baseUrl: `${resource}${path}`,
    baseUrlVariable: setup.baseUrlVariable,
    title: 'Azure OpenAI',
    ...(key && { apiKey: key.value, keyVariable: key.variable }),
    ...(key && key.variable !== TOKEN_VARIABLE && { keyHeader: 'api-key' }),
    ...(version && { query: `?api-version=${encodeURIComponent(version)}` }),
    ...(setup.maxOutputTokens !== undefined && { maxOutputTokens: setup.maxOutputTokens }),
    ...(setup.effort && { effort: setup.effort }),
    ...(setup.facts && { facts: setup.facts }),
    ...(setup.headers && { headers: setup.headers }),
    ...(setup.fetch && { fetch: setup.fetch }),
  };
  const access = { authorization, explain: explainAzure(setup, key?.variable ?? TOKEN_VARIABLE) };
  if (setup.wire === 'responses' && !isDated) {
    const { responsesModel } = await import('../wire/responses/openai-responses.js');
    return responsesModel(shared, access);
  }
  const { chatModel } = await import('../wire/chat/openai-compatible.js');
  const { quirksOf } = await import('../wire/chat/quirks.js');
  return chatModel({ ...shared, quirks: quirksOf('openai', 'https://api.openai.com/v1') }, access);
}

/** The address of the resource, from any of the addresses that Azure shows for it. */
function resourceAddress(address: string | undefined, env: CloudSetup['env']): string | undefined {
  if (address !== undefined)
    return address
      .replace(/[?#].*$/s, '')
      .replace(/\/openai(\/.*)?$/, '')
      .replace(/(?<!\/)\/+$/, '');
  const resource = env['AZURE_OPENAI_RESOURCE_NAME']?.trim() || env['AZURE_RESOURCE_NAME']?.trim();
  if (!resource) return undefined;
  if (/^[a-z0-9-]+$/i.test(resource)) return `https://${resource}.openai.azure.com`;
  throw new ModelFailure('unreachable', 'AZURE_OPENAI_RESOURCE_NAME is not the name of a resource.', {
    advice: 'Set it to the first part of the address of the resource, or AZURE_OPENAI_ENDPOINT to the whole address.',
    about: 'address',
  });
}

const noResource = (): ModelFailure =>
  new ModelFailure('unreachable', 'No Azure OpenAI resource.', {
    advice: 'Set AZURE_OPENAI_ENDPOINT to its address, such as https://NAME.openai.azure.com.',
    about: 'address',
  });

const noKey = (baseUrlVariable: string): ModelFailure =>
  new ModelFailure('auth', `No key for Azure OpenAI at the address in ${baseUrlVariable}.`, {
    advice: `Set AZURE_OPENAI_API_KEY, ${TOKEN_VARIABLE} to an Entra token, or "keyCommand" in models.json to a command that prints one.`,
    about: 'key',
  });

function explainAzure({ name, baseUrlVariable }: AzureSetup, keyVariable: string) {
  return (error: ServerError, facts: string): Judgement | undefined => {
    const says = (pattern: RegExp): boolean => pattern.test(error.words);
    if (error.isPage) return explainPage('Azure OpenAI', baseUrlVariable, facts);
    if (
      error.code === 'DeploymentNotFound' ||
      says(/deployment for this resource does not exist|\bmodel\b.{0,200}\bdoes not exist/i)
    ) {
      const advice = 'Set --model to azure/NAME with the name of a deployment, which need not be that of its model.';
      return {
        kind: 'unknown_model',
        problem: `The Azure resource has no deployment "${name}" ${facts}.`,
        advice,
        about: 'model',
      };
    }
    if (
      says(
        /operation (does not work|is unsupported|is not supported)|does not support.{0,20}responses|OperationNotSupported/i,
      ) ||
      error.code === 'OperationNotSupported'
    ) {
      const advice = 'Set "wire" of azure to "chat" in models.json if the model has no Responses API.';
      return {
        kind: 'invalid_request',
        problem: `The deployment "${name}" does not accept this kind of request ${facts}.`,
        advice,
      };
    }
    if (says(/api version not supported/i)) {
      const advice = 'Correct AZURE_OPENAI_API_VERSION, or leave it out for the v1 API.';
      return {
        kind: 'unreachable',
        problem: `Azure does not know the version of the API ${facts}.`,
        advice,
        about: 'address',
      };
    }
    if (error.status === 401 && says(/expired|invalid.{0,20}audience|token/i) && keyVariable === TOKEN_VARIABLE) {
      const advice = `Set ${TOKEN_VARIABLE} anew: az account get-access-token --resource https://cognitiveservices.azure.com --query accessToken -o tsv`;
      return { kind: 'auth', problem: `Azure refused the Entra token ${facts}.`, advice, about: 'key' };
    }
    if (error.status === 401) {
      const advice = `Check that ${keyVariable} and ${baseUrlVariable} belong to the same resource.`;
      return { kind: 'auth', problem: `Azure refused the key ${facts}.`, advice, about: 'key' };
    }
    if (error.status === 403) {
      const advice =
        'Check the network rules of the resource, and that the identity has the role "Cognitive Services OpenAI User".';
      return { kind: 'auth', problem: `Azure does not permit the request ${facts}.`, advice, about: 'key' };
    }
    if (error.status === 404) {
      const advice = `Check ${baseUrlVariable}: it is the address of the resource, such as https://NAME.openai.azure.com.`;
      return {
        kind: 'unreachable',
        problem: `There is no Azure OpenAI at this address ${facts}.`,
        advice,
        about: 'address',
      };
    }
    return undefined;
  };
}
