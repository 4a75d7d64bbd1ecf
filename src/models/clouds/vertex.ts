import { type Model, ModelFailure } from '../../contract/model.js';
import { endpointOf } from '../http/endpoint.js';
import { explainPage, type Judgement, type ServerError, shorten } from '../http/failures.js';
import { messagesModel } from '../wire/anthropic/messages-model.js';
import type { CloudSetup } from './cloud-setup.js';
import { googleAuthorization } from './google/google-authorization.js';
import { googleProject } from './google/google-credentials.js';

const API_VERSION = 'vertex-2023-10-16';
const DEFAULT_LOCATION = 'global';

/** Claude and Gemini on Google Vertex AI, with Google's credentials. Each speaks the format of its vendor. */
export async function vertexModel(setup: CloudSetup): Promise<Model> {
  const { provider, name, env, key, baseUrlVariable } = setup;
  const project = await googleProject(env);
  const location = vertexLocation(env);
  const { authorization: _, ...headers } = setup.headers ?? {};
  const isGemini = name.startsWith('gemini');
  const model = encodeURIComponent(name).replaceAll('%40', '@');
  const method = isGemini
    ? `google/models/${model}:streamGenerateContent?alt=sse`
    : `anthropic/models/${model}:streamRawPredict`;
  const endpoint = () => {
    if (project === undefined) throw noProject();
    return {
      ...endpointOf({
        model: name,
        address: (setup.baseUrl ?? vertexAddress(location)).replace(/(?<!\/)\/+$/, ''),
        path: `/projects/${encodeURIComponent(project)}/locations/${location}/publishers/${method}`,
        title: `Vertex AI in ${location}`,
        keys: [{ variable: key?.variable ?? 'CLOUDSDK_AUTH_ACCESS_TOKEN', value: key?.value }],
        baseUrlVariable,
      }),
      explain: explainVertex({ name, project, location, baseUrlVariable }),
      unreachableAdvice: `Check the network and the location, which is "${location}": set CLOUD_ML_REGION to one that has the model, or to global.`,
    };
  };
  const authorization = googleAuthorization(env);
  if (isGemini) {
    const { maxOutputTokens, effort, facts, fetch } = setup;
    const { geminiApiModel } = await import('../wire/gemini/gemini.js');
    return geminiApiModel(
      {
        ...{ provider, name, headers },
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
        ...(effort && { effort }),
        ...(facts && { facts }),
        ...(fetch && { fetch }),
      },
      { endpoint, authorization },
    );
  }
  return messagesModel({
    ...setup,
    provider,
    endpoint,
    fields: { anthropic_version: API_VERSION, stream: true },
    headers: () => ({ 'content-type': 'application/json', accept: 'text/event-stream', ...headers }),
    authorization,
  });
}

/** Part of a host's name, so nothing else may be in it. */
export function vertexLocation(env: CloudSetup['env']): string {
  const variable = ['CLOUD_ML_REGION', 'GOOGLE_CLOUD_LOCATION'].find((name) => env[name]?.trim());
  const location = (variable && env[variable]?.trim()) || DEFAULT_LOCATION;
  if (/^[a-z0-9-]+$/.test(location)) return location;
  throw new ModelFailure(
    'unreachable',
    `${variable} is "${shorten(location)}", which is not a location of Google Cloud.`,
    {
      advice: 'Set it to one such as global, eu or us-east5.',
      about: 'address',
    },
  );
}

/** Up to and with the version of the API. Locations of several regions have hosts of their own. */
export function vertexAddress(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com/v1';
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com/v1`;
  return `https://${location}-aiplatform.googleapis.com/v1`;
}

const noProject = (): ModelFailure =>
  new ModelFailure('auth', 'No Google Cloud project for Vertex AI.', {
    advice: 'Set ANTHROPIC_VERTEX_PROJECT_ID or GOOGLE_CLOUD_PROJECT to its id.',
    about: 'address',
  });

interface VertexPlace {
  name: string;
  project: string;
  location: string;
  baseUrlVariable: string;
}

function explainVertex({ name, project, location, baseUrlVariable }: VertexPlace) {
  return (error: ServerError, facts: string): Judgement | undefined => {
    const says = (pattern: RegExp): boolean => pattern.test(error.words);
    if (error.isPage && error.status === 404) {
      const advice = `Check CLOUD_ML_REGION: there may be no Vertex AI in "${location}".`;
      return {
        kind: 'unreachable',
        problem: `Vertex AI in ${location} does not have this address ${facts}.`,
        advice,
        about: 'address',
      };
    }
    if (error.isPage) return explainPage('Vertex AI', baseUrlVariable, facts);
    if (says(/API has not been used in project|API.{0,40}(is|it is) disabled|SERVICE_DISABLED/i)) {
      const advice = `Run "gcloud services enable aiplatform.googleapis.com --project ${project}".`;
      return {
        kind: 'auth',
        problem: `Vertex AI is not enabled in the project ${project} ${facts}.`,
        advice,
        about: 'address',
      };
    }
    if (
      error.status === 404 ||
      says(/publisher model.{0,200}not found|is not servable in region|not supported in (the )?region/i)
    ) {
      const advice = `Enable it in Model Garden, or check the name in --model and CLOUD_ML_REGION.`;
      return {
        kind: 'unknown_model',
        problem: `Vertex AI has no model "${name}" for the project ${project} in ${location} ${facts}.`,
        advice,
        about: 'model',
      };
    }
    if (error.status === 401) {
      const advice =
        'Run "gcloud auth application-default login", or set GOOGLE_APPLICATION_CREDENTIALS to a file with credentials.';
      return { kind: 'auth', problem: `Google refused the credentials ${facts}.`, advice, about: 'key' };
    }
    if (error.status === 403) {
      const advice = `Check ANTHROPIC_VERTEX_PROJECT_ID; the account needs the role "Vertex AI User" in that project.`;
      return {
        kind: 'auth',
        problem: `These Google credentials may not use Vertex AI in the project ${project} ${facts}.`,
        advice,
        about: 'key',
      };
    }
    return undefined;
  };
}
