// Step 4 of the path: from a name and an unknown input to a tool and an input that it understands.
import { ToolFailure } from '../contract/failure.js';
import type { BoundCall, InputIssue, Tool } from '../contract/tool.js';
import { nearestWords } from '../platform/text/similar-text.js';
import type { ToolCall } from './assemble.js';
import type { CallEnvironment } from './environment.js';

export interface ResolvedCall {
  tool: Tool;
  bound: BoundCall;
}

export async function resolve(call: ToolCall, environment: CallEnvironment): Promise<ResolvedCall> {
  const tool = environment.findTool(call.name);
  if (!tool) throw new ToolFailure(unknownTool(call.name, environment.toolNames()), { kind: 'unknown_tool' });
  const accepted = tool.accept(call.input);
  const issues = accepted.ok ? await ownSchemaIssues(tool, call.input) : accepted.issues;
  if (accepted.ok && issues.length === 0) return { tool, bound: accepted.call };
  throw new ToolFailure(invalidInput(tool, issues), { kind: 'invalid_input' });
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

function invalidInput(tool: Tool, issues: readonly InputIssue[]): string {
  const lines = issues.map(({ path, message }) => (path ? `"${path}" ${message}` : message));
  const next = 'Nothing was run. Correct the input and send the call again.';
  if (lines.length === 1) return `${tool.name}: ${lines[0]}. ${next}`;
  return `${tool.name}: the input has ${lines.length} problems.\n${lines.map((line) => `- ${line}`).join('\n')}\n${next}`;
}
