import * as z from 'zod';
import { ToolFailure } from '../../contract/failure.js';
import { defineTool } from '../../contract/tool.js';
import { messageOf } from '../../platform/message-of.js';
import type { BackgroundCommand, BackgroundState } from '../../platform/shell/background.js';
import { FilterTimeout, filterOutput } from '../../platform/shell/filter-output.js';
import { readOutput } from '../../platform/shell/read-output.js';
import { clause } from '../../platform/text/clause.js';
import { MAX_OUTPUT_CHARS } from './limits.js';
import { sessionBackground, stateText, unknownId } from './session-shells.js';
import { firstLine } from './title.js';

const MAX_HEAD_CHARS = 1_000; // the lines above the output

const description = `Show what a background command has written since you last looked, and whether it still runs.`;

const input = z.strictObject({
  bash_id: z.string().min(1),
  filter: z.string().optional().describe('Regular expression; lines that do not match count as seen'),
});

interface Look {
  command: string;
  status: BackgroundState['status'];
  exitCode: number | null;
  /** The state, for messages. */
  state: string;
  output: string;
  styledOutput?: string;
  outputFile: string;
}

export const bashOutputTool = defineTool({
  name: 'BashOutput',
  title: 'Output',
  about: 'Shows the new output of a background command.',
  traits: { olderNames: ['BashOutputTool'], worksAs: ['TaskOutput'], printsCommands: true },
  description,
  input,
  maxResultChars: MAX_OUTPUT_CHARS + MAX_HEAD_CHARS,
  needsTool: 'Bash',
  effects: () => [],

  async execute({ bash_id, filter }, { session }): Promise<Look> {
    const commands = session.own(sessionBackground);
    const command = commands.find(bash_id);
    if (!command) throw unknownId(bash_id, commands);
    if (filter !== undefined) refuseBadPattern(filter);
    // Reads the state first, then the output, so that no output of a finished command is missed.
    const { state } = command;
    const about = {
      command: command.command,
      status: state.status,
      exitCode: state.status === 'running' ? null : state.exitCode,
      state: stateText(command),
      outputFile: command.outputFile,
    };
    const growing = state.status === 'running';
    return {
      ...about,
      ...(filter === undefined ? await takeNew(command, growing) : await takeMatching(command, growing, filter)),
    };
  },

  toModel: ({ state, output, outputFile }) =>
    `Status: ${state}\nOutput file: ${outputFile}\n${output || '(no new output)'}`,

  displayCall: ({ bash_id = '', filter }) => ({
    title: filter === undefined ? bash_id : `${bash_id} ${firstLine(filter)}`,
  }),
  displayResult: ({ command, state, output, styledOutput: styled }) => ({
    title: firstLine(command),
    facts: [state, ...(output ? [] : ['no new output'])],
    ...(output && { body: { type: 'output', text: output, ...(styled !== undefined && { styled }) } }),
  }),
});

function refuseBadPattern(filter: string): void {
  try {
    new RegExp(filter);
  } catch (error) {
    const why = messageOf(error);
    throw new ToolFailure(
      `filter is not a valid JavaScript regular expression: ${clause(why)}. Nothing was looked at.`,
      {
        kind: 'invalid_input',
        cause: error,
      },
    );
  }
}

async function takeNew(
  command: BackgroundCommand,
  growing: boolean,
): Promise<{ output: string; styledOutput?: string }> {
  const options = { maxChars: MAX_OUTPUT_CHARS, from: command.seenBytes, growing };
  const { text, styled, totalBytes, heldBack = 0 } = await readOutput(command.outputFile, options);
  command.seenBytes = totalBytes - heldBack;
  return { output: text.trimEnd(), ...(styled !== undefined && { styledOutput: styled }) };
}

async function takeMatching(
  command: BackgroundCommand,
  growing: boolean,
  pattern: string,
): Promise<{ output: string }> {
  try {
    const options = { pattern, growing, maxChars: MAX_OUTPUT_CHARS, from: command.seenBytes };
    const { text, end } = await filterOutput(command.outputFile, options);
    command.seenBytes = end;
    return { output: text };
  } catch (error) {
    if (!(error instanceof FilterTimeout)) throw error;
    throw new ToolFailure(
      `The filter /${pattern}/ took longer than a second on what ${command.id} has written and was stopped; nothing counts as looked at.`,
      { advice: 'Use a simpler expression, without nested repetition.', cause: error },
    );
  }
}
