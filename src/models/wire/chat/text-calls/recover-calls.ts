import type { ToolDefinition } from '../../../../contract/model.js';
import type { TextCallFormat } from './formats.js';
import { TextCallScanner } from './text-call-scanner.js';

/** What a whole answer turned out to be. */
export interface RecoveredCalls {
  /** The text before the calls, or the whole text if there are none. */
  text: string;
  /** The format of the calls; absent if there are none. */
  format?: TextCallFormat;
  /** The arguments are JSON text, which may be invalid if the model wrote it so. */
  calls: ReadonlyArray<{ name: string; json: string }>;
}

/** The calls of tools that were offered in the text of a whole answer. */
export function recoverCalls(
  text: string,
  tools: ReadonlyArray<Pick<ToolDefinition, 'name' | 'input_schema'>>,
  isQuoted: (source: string) => boolean = () => false,
): RecoveredCalls {
  const offered = new Map(tools.map(({ name, input_schema }) => [name, input_schema]));
  const scanner = new TextCallScanner({ tools: offered, isQuoted });
  const shown = scanner.push(text);
  const { text: rest, found } = scanner.finish();
  const calls = found?.calls.map(({ name, json }) => ({ name, json })) ?? [];
  return { text: shown + rest, ...(found && { format: found.format }), calls };
}
