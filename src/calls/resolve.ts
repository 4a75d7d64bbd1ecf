// Step 4 of the path: from a name and an unknown input to a tool and a checked input.
import { ToolFailure } from '../contract/failure.js';
import type { SentCall } from '../contract/permission.js';
import type { AcceptedInput, BoundCall, InputIssue, Tool } from '../contract/tool.js';
import { isObject } from '../platform/is-object.js';
import { nearestWords } from '../platform/text/similar-text.js';
import { aliasOf, meantCall } from '../tools/aliases.js';
import type { CompleteCall } from './assemble.js';
import { coerceInput } from './coerce.js';
import type { CallEnvironment } from './environment.js';

export interface ResolvedCall {
  tool: Tool;
  bound: BoundCall;
  /** The call as the model sent it, if it was typed into another tool. Rules and hooks of both tools apply. */
  sentAs?: SentCall;
}

export async function resolve(call: CompleteCall, environment: CallEnvironment): Promise<ResolvedCall> {
  const tool = findTool(call.name, environment);
  const sentAs: SentCall = { tool: tool?.name ?? call.name, input: call.input };
  const meant = meantCall(sentAs.tool, sentAs.input);
  if (meant && environment.findTool(meant.name)?.name === meant.name) {
    const { name, input, command } = meant;
    const { bound, ...resolved } = await resolve({ ...call, name, input }, environment);
    const effects: BoundCall['effects'] = async (context) => [...(await bound.effects(context)), command];
    return { ...resolved, bound: { ...bound, effects }, sentAs };
  }
  if (!tool) {
    const why = environment.whyAbsent?.(call.name) ?? unknownTool(call.name, environment.toolNames());
    throw new ToolFailure(why, { kind: 'unknown_tool', problem: `There is no tool named "${call.name}".` });
  }
  await tool.load();
  const checked = await check(tool, call.input);
  if (checked.ok) return { tool, bound: checked.call };
  // Only a rejected input is coerced. If that fails too, the error is about the input as sent, which the model knows.
  const coerced = coerceInput(tool.inputSchema, call.input);
  const again = coerced === call.input ? checked : await check(tool, coerced);
  if (again.ok) return { tool, bound: again.call };
  const issues = checked.issues.map((issue) => issueText(tool, issue, call.input));
  throw new ToolFailure(invalidInput(tool, issues), {
    kind: 'invalid_input',
    problem: `The input does not fit: ${issues.join('; ')}.`,
  });
}

/** Finds a tool by its name, else by an unambiguous variant: other letter case, a prefix, or a name of other agents. */
function findTool(name: string, environment: CallEnvironment): Tool | undefined {
  const exact = environment.findTool(name);
  if (exact) return exact;
  const bare = name.trim().replace(/^(functions|tools|default_api)[.:/]/, '');
  const meant = sameLetters(bare, environment) ?? aliasOf(bare);
  return meant === undefined ? undefined : environment.findTool(meant);
}

function sameLetters(name: string, environment: CallEnvironment): string | undefined {
  const alike = environment.toolNames().filter((known) => known.toLowerCase() === name.toLowerCase());
  return alike.length === 1 ? alike[0] : undefined;
}

async function check(tool: Tool, input: unknown): Promise<AcceptedInput> {
  const accepted = tool.accept(input);
  const issues = accepted.ok ? await ownSchemaIssues(tool, input) : [];
  return issues.length > 0 ? { ok: false, issues } : accepted;
}

async function ownSchemaIssues(tool: Tool, input: unknown): Promise<readonly InputIssue[]> {
  if (!tool.bringsOwnSchema) return [];
  const { jsonSchemaIssues } = await import('../platform/json-schema.js');
  return jsonSchemaIssues(tool.inputSchema, input);
}

function unknownTool(name: string, known: readonly string[]): string {
  const near = nearestWords(name, known).map((word) => `"${word}"`);
  if (near.length > 0) return `There is no tool named "${name}". Did you mean ${near.join(' or ')}?`;
  return `There is no tool named "${name}". The tools here are: ${known.join(', ')}.`;
}

/** What the model should do about its own invalid input. */
export const CORRECT_INPUT = 'Correct the input and send the call again.';

const issueText = (tool: Tool, issue: InputIssue, input: unknown): string =>
  (issue.path ? `"${issue.path}" ${issue.message}` : issue.message) + meantName(tool, issue, input);

function invalidInput(tool: Tool, lines: readonly string[]): string {
  const next = `Nothing was run. ${CORRECT_INPUT}`;
  if (lines.length === 1) return `${tool.name}: ${lines[0]?.replace(/[^?]$/, '$&.')} ${next}`;
  return `${tool.name}: the input has ${lines.length} problems.\n${lines.map((line) => `- ${line}`).join('\n')}\n${next}`;
}

/** The parameter that a mistyped name is meant for, among those that were not sent. */
function meantName({ inputSchema }: Tool, { path, unknown = [] }: InputIssue, input: unknown): string {
  const { properties } = inputSchema;
  if (path !== '' || !isObject(properties)) return '';
  const free = Object.keys(properties).filter((name) => !isObject(input) || !Object.hasOwn(input, name));
  const meant = unknown.flatMap((name) => nearestWords(name, free).slice(0, 1)).map((name) => `"${name}"`);
  return meant.length === 0 ? '' : `. Did you mean ${meant.join(' and ')}?`;
}
