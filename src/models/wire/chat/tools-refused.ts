import { ModelFailure, type ModelFailureKind } from '../../../contract/model.js';

/** How servers say that a model or its template has no tools. Few have an error type for it. */
const REFUSALS: readonly RegExp[] = [
  /(?:not|n't) support (?:the )?(?:tools|tool[ _]|function[ _]call)/i,
  /that support tool use/i,
  /\b(?:tools?|tool[ _]choice|tool[ _](?:use|call|calling|calls)|function[ _]call(?:s|ing)?)\b.{0,40}\b(?:not supported|unsupported|not enabled|not available|not allowed|requires? --)/i,
  /(?:unsupported|unrecognized|unknown|unexpected|extra|invalid) (?:request )?(?:argument|parameter|param|field|input|key)s?\b.{0,40}\btools?\b/i,
];

const OTHER_KINDS: ReadonlySet<ModelFailureKind> = new Set(['auth', 'rate_limited', 'overloaded', 'context_overflow']);

/** Whether the server refused the request because it has tools. */
export function refusesTools(error: unknown): boolean {
  return (
    error instanceof ModelFailure &&
    error.status !== undefined &&
    !OTHER_KINDS.has(error.kind) &&
    REFUSALS.some((pattern) => pattern.test(error.problem))
  );
}
