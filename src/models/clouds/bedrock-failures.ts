import { explainPage, type Judgement, type ServerError } from '../http/failures.js';

interface BedrockPlace {
  name: string;
  region: string;
  /** Whether requests are signed with AWS credentials, not with a Bedrock API key. */
  isSigned: boolean;
  baseUrlVariable: string;
}

/** What errors of Amazon Bedrock mean, in responses and in exceptions within a stream. */
export function explainBedrock(place: BedrockPlace): (error: ServerError, facts: string) => Judgement | undefined {
  const { name, region, isSigned } = place;
  return (error, facts) => {
    const { words } = error;
    const type = (error.type ?? '').toLowerCase();
    const says = (pattern: RegExp): boolean => pattern.test(words);
    if (error.isPage) return explainPage('Amazon Bedrock', place.baseUrlVariable, facts);

    if (type === 'expiredtokenexception' || says(/security token .{0,60}expired/i)) {
      const advice =
        'Sign in again, for example with "aws sso login", or set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN to new ones.';
      return { kind: 'auth', problem: `The AWS session token has expired ${facts}.`, advice, about: 'key' };
    }
    if (type === 'unrecognizedclientexception' || says(/security token .{0,60}invalid/i)) {
      const advice = isSigned
        ? 'Check AWS_ACCESS_KEY_ID, and AWS_SESSION_TOKEN, which temporary keys need and others must not have.'
        : 'Check AWS_BEARER_TOKEN_BEDROCK.';
      return { kind: 'auth', problem: `AWS does not know the key ${facts}.`, advice, about: 'key' };
    }
    if (/signature|requesttime|requestexpired/.test(type)) {
      const advice = "Check AWS_SECRET_ACCESS_KEY, and this machine's clock.";
      return { kind: 'auth', problem: `AWS refused the signature of the request ${facts}.`, advice, about: 'key' };
    }
    if (says(/not authorized to perform|explicit deny/i)) {
      const advice =
        'Ask for a policy that allows bedrock:InvokeModelWithResponseStream on this model, or use other credentials.';
      return {
        kind: 'auth',
        problem: `These AWS credentials may not use ${name} in ${region} ${facts}.`,
        advice,
        about: 'key',
      };
    }
    if (says(/access to the model|use case details|model access|not subscribed|marketplace/i)) {
      const advice = `Request access to it in the Bedrock console of ${region}, or choose another model with --model.`;
      return {
        kind: 'unknown_model',
        problem: `This AWS account has no access to ${name} ${facts}.`,
        advice,
        about: 'model',
      };
    }
    if (says(/on-demand throughput/i)) {
      const advice = `Put the area of an inference profile before it, as in --model bedrock/global.${name} or us.${name}.`;
      return {
        kind: 'unknown_model',
        problem: `${name} can only be used through an inference profile ${facts}.`,
        advice,
        about: 'model',
      };
    }
    if (
      says(
        /model identifier is invalid|resolve the foundation model|end of its life|model.{0,80}(not found|not supported in this region)/i,
      )
    ) {
      const advice = `Check the name in --model and AWS_REGION; "aws bedrock list-inference-profiles --region ${region}" lists what is there.`;
      return {
        kind: 'unknown_model',
        problem: `Amazon Bedrock in ${region} has no model "${name}" ${facts}.`,
        advice,
        about: 'model',
      };
    }
    return fromException(type, region, facts);
  };
}

/** Exceptions within a stream have no status. */
function fromException(type: string, region: string, facts: string): Judgement | undefined {
  const server = `Amazon Bedrock in ${region}`;
  switch (type) {
    case 'throttlingexception':
    case 'servicequotaexceededexception':
      return {
        kind: 'rate_limited',
        problem: `${server} limits the rate ${facts}.`,
        advice: 'Wait a while, then try again.',
      };
    case 'serviceunavailableexception':
    case 'modelnotreadyexception':
      return { kind: 'overloaded', problem: `${server} is overloaded ${facts}.`, advice: 'Try again in a while.' };
    case 'internalserverexception':
    case 'modelstreamerrorexception':
    case 'modelerrorexception':
    case 'modeltimeoutexception':
      return { kind: 'server_error', problem: `${server} failed ${facts}.`, advice: 'Try again in a while.' };
    default:
      return undefined;
  }
}
