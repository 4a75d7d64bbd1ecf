import { Script } from 'node:vm';

const MAX_MS = 1_000; // an honest pattern takes less than one

/**
 * A regular expression of somebody else. One that tries without end, as `(a+)+$` does, would stop everything, signals
 * included; after a while it counts as one that does not match.
 */
export function boundedPattern(pattern: string, flags: string): { test(text: string): boolean; toString(): string } {
  const written = String(new RegExp(pattern, flags)); // throws where it is none
  return {
    toString: () => written, // as of any regular expression: whoever keeps several tells them apart by it
    test(text) {
      const words = [pattern, flags, text].map((word) => JSON.stringify(word));
      const script = new Script(`new RegExp(${words[0]}, ${words[1]}).test(${words[2]})`);
      try {
        return script.runInThisContext({ timeout: MAX_MS }) === true;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
        throw error;
      }
    },
  };
}
