import { dataFolderOf } from '../../platform/files/paths.js';
import { counted } from '../../platform/text/counted.js';
import { jsonText } from '../../platform/text/json-line.js';
import { visible } from '../../platform/text/visible.js';
import { toolPins, type WaitingChanges } from '../../settings/tool-pins.js';
import { readArgs, settingsOptions } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { isAtTerminal, saysYes } from '../plugin/plugin-context.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { knownServers, noSuchServer } from './known-servers.js';
import { changeLines, shownChanges } from './show-changes.js';

const USAGE = 'Use helve mcp approve NAME [TOOL …] [--yes].';

/**
 * Shows how a server has changed its tools and instructions since they were pinned, and approves exactly what is shown. No server is
 * started: a session has recorded the change.
 */
export async function approve(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, {
    yes: { type: 'boolean', short: 'y' },
    json: { type: 'boolean' },
  });
  const [name, ...tools] = positionals;
  if (name === undefined) throw new UsageProblem(`The server has no name. ${USAGE}`);
  const pins = toolPins(dataFolderOf(settingsOptions()));
  const known = [...(await knownServers({})).servers.map((server) => server.name), ...(await pins.names())];
  if (!known.includes(name)) throw noSuchServer(name, known);
  const waiting = chosen(await pins.waiting(name), tools);
  const count = waiting.reduce((sum, { changes }) => sum + changes.length, 0);
  if (values.json !== true) await show(waiting);
  const isApproved = count > 0 && (values.yes === true || (await isConfirmed(count, name, values.json)));
  if (isApproved) for (const { server, changes } of waiting) await pins.approve(server, changes);
  if (values.json) {
    const changedTools = await shownChanges(waiting.flatMap(({ changes }) => changes));
    await writeLine(process.stdout, jsonText({ name, approved: isApproved, changedTools }));
  } else await writeLine(process.stdout, outcome({ name: visible(name), count, isApproved, tools }));
  return count === 0 || isApproved ? exitCode.ok : exitCode.failed;
}

function chosen(waiting: readonly WaitingChanges[], tools: readonly string[]): WaitingChanges[] {
  if (tools.length === 0) return [...waiting];
  const known = waiting.flatMap(({ changes }) => changes.map(({ tool }) => tool));
  const unknown = tools.find((tool) => !known.includes(tool));
  if (unknown !== undefined) {
    const others = known.length === 0 ? 'Nothing of it waits.' : `These wait: ${known.join(', ')}.`;
    throw new UsageProblem(`"${visible(unknown)}" does not wait for approval. ${visible(others)}`);
  }
  return waiting.map(({ server, changes }) => ({
    server,
    changes: changes.filter(({ tool }) => tools.includes(tool)),
  }));
}

async function show(waiting: readonly WaitingChanges[]): Promise<void> {
  for (const { server, changes } of waiting) {
    const place = server.folder === undefined ? server.source : `${server.source}, ${server.folder}`;
    if (waiting.length > 1) await writeLine(process.stdout, visible(`${server.name} (${place})`));
    for (const line of await changeLines(changes)) await writeLine(process.stdout, line);
  }
}

async function isConfirmed(count: number, name: string, json: boolean | undefined): Promise<boolean> {
  if (json || !isAtTerminal()) return false;
  return await saysYes(`Let the model have ${counted(count, 'change')} of ${visible(name)}?`);
}

interface Outcome {
  name: string;
  count: number;
  isApproved: boolean;
  tools: readonly string[];
}

function outcome({ name, count, isApproved, tools }: Outcome): string {
  if (count === 0) {
    return `No change of ${name} waits for approval. Changes are noticed when the server connects: helve mcp doctor ${name}.`;
  }
  if (isApproved) return `Approved ${counted(count, 'change')} of ${name}, for sessions that start now.`;
  const words = [name, ...tools].join(' ');
  return `Nothing was approved. To approve this: helve mcp approve ${words} --yes`;
}
