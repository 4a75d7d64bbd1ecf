import type { Judgement } from '../http/failures.js';

/** A refusal in HTML comes from something between here and the cloud. */
export const explainPage = (cloud: string, baseUrlVariable: string, facts: string): Judgement => ({
  kind: 'unreachable',
  problem: `A web page answered instead of ${cloud}, as of a proxy or a login ${facts}.`,
  advice: `Check the network and ${baseUrlVariable}.`,
  about: 'address',
});
