import { Script } from 'node:vm';
import { codeOf } from './error-code.js';

const MAX_MS = 1_000; // a reasonable pattern takes less than one millisecond

/**
 * A regular expression from an untrusted source. Catastrophic backtracking, as with `(a+)+$`, would block the event
 * loop, including signal handlers; after a timeout the pattern counts as not matching.
 */
export function boundedPattern(pattern: string, flags: string): { test(text: string): boolean; toString(): string } {
  const written = String(new RegExp(pattern, flags)); // throws if it is not a valid pattern
  return {
    toString: () => written, // like any regular expression, so that it can serve as a key
    test(text) {
      const words = [pattern, flags, text].map((word) => JSON.stringify(word));
      const script = new Script(`new RegExp(${words[0]}, ${words[1]}).test(${words[2]})`);
      try {
        return script.runInThisContext({ timeout: MAX_MS }) === true;
      } catch (error) {
        if (codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
        throw error;
      }
    },
  };
}
