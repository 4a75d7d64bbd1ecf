import type { Effort, ModelFacts } from '../../contract/model.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a model of a cloud is built from. */
export interface CloudSetup {
  /** The provider's key in settings. */
  provider: string;
  /** The model's name, as the cloud knows it. */
  name: string;
  /** The user's address of the cloud or of a gateway to it; undefined for the cloud's own, which depends on the region. */
  baseUrl: string | undefined;
  /** Where that address is set, or could be. */
  baseUrlVariable: string;
  /** A key in the environment, and the variable that it came from. */
  key: { variable: string; value: string } | undefined;
  env: Environment;
  maxOutputTokens?: number | undefined;
  effort?: Effort | undefined;
  facts?: ModelFacts | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  fetch?: typeof fetch | undefined;
}
