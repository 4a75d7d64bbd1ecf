// What Helve writes for the model is never shown to the person: failures separate what happened from what to do next.
import { globSync, readFileSync } from 'node:fs';
import { type Argument, parseSync, Visitor } from 'oxc-parser';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineTool, type ToolDisplay } from '../src/contract/tool.js';
import { type TestProject, temporaryProject } from '../src/testing/temporary-project.js';
import { toolList } from '../src/tools/tool-list.js';

const IMPERATIVES =
  'Read|Use|Send|Ask|Try|Run|Check|Call|Correct|Do not|Give|Look|Raise|Wait|Stop|Leave|Set|Write|Choose|Narrow|Add|Include|List|Name|Put|Say|Go on|Decide|Make|Split|Open|Move|Remove|Delete|Tell|Work on|Copy|Pass|Shorten|Search|Find|Convert|Take|Filter|Download|Fix|Merge|Clear|Free|Resume|Create|Begin|Continue|Retry|If you|Only the user';
const ADVICE = new RegExp(`(?:^|[.?!:)]\\s+)(?:${IMPERATIVES})\\b(?!:)`);
const YOU = /\byou(?:r|rs|rself)?\b/i;

interface FailureSource {
  place: string;
  message: string;
  problem: string | undefined;
}

/** The literal texts of an expression; values that are known only at run time are left out. */
function literalsIn(node: unknown): string {
  if (Array.isArray(node)) return node.map(literalsIn).join('');
  if (typeof node !== 'object' || node === null) return '';
  const { type } = node as { type?: string };
  if (type === 'Literal')
    return typeof (node as { value: unknown }).value === 'string' ? String((node as { value: unknown }).value) : '';
  if (type === 'TemplateLiteral') {
    const { quasis, expressions } = node as unknown as {
      quasis: Array<{ value: { cooked: string } }>;
      expressions: unknown[];
    };
    return quasis
      .map(
        ({ value }, index) =>
          `${value.cooked}${index < expressions.length ? literalsIn(expressions[index]) || '…' : ''}`,
      )
      .join('');
  }
  if (type === 'ConditionalExpression') {
    const { consequent, alternate } = node as { consequent?: unknown; alternate?: unknown };
    return `${literalsIn(consequent)} | ${literalsIn(alternate)}`;
  }
  return '';
}

function propertyOf(node: Argument | undefined, name: string): unknown {
  if (node?.type !== 'ObjectExpression') return undefined;
  for (const property of node.properties) {
    if (property.type === 'Property' && property.key.type === 'Identifier' && property.key.name === name)
      return property.value;
  }
  return undefined;
}

function failuresOf(file: string): FailureSource[] {
  const text = readFileSync(file, 'utf8');
  const found: FailureSource[] = [];
  const take = (args: readonly Argument[], start: number): void => {
    const [message, options] = args;
    const problem = propertyOf(options, 'problem');
    const place = `${file}:${text.slice(0, start).split('\n').length}`;
    found.push({
      place,
      message: literalsIn(message),
      problem: problem === undefined ? undefined : literalsIn(problem),
    });
  };
  new Visitor({
    NewExpression({ callee, arguments: args, start }) {
      if (callee.type === 'Identifier' && callee.name === 'ToolFailure') take(args, start);
    },
    CallExpression({ callee, arguments: args, start }) {
      if (callee.type === 'Identifier' && /^(?:refusal|denied)$/.test(callee.name)) take(args, start);
    },
  }).visit(parseSync('source.ts', text).program);
  return found;
}

const sources = globSync('src/**/*.ts')
  .filter((file) => !file.endsWith('.test.ts') && !/models\/http|sandbox\/host-proxy/.test(file)) // functions of the same name
  .toSorted();

test('no failure tells the person what the model should do', () => {
  const failures = sources.flatMap(failuresOf);
  expect(failures.length).toBeGreaterThan(100);
  const wrong = failures.filter(({ message, problem }) => {
    const shown = problem ?? message;
    return ADVICE.test(shown) || YOU.test(shown.replace(/\bYou (?:refused|changed)\b|\byou chose\b/g, ''));
  });
  expect(wrong).toEqual([]);
});

test('every built-in tool says itself what the person sees of its result', () => {
  const without = globSync('src/{tools,agent}/**/*.ts')
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => {
      const text = readFileSync(file, 'utf8');
      return /\bdefineTool(?:<[^(]*>)?\(\{/.test(text) && !/\bdisplayResult:/.test(text);
    });
  expect(without).toEqual([]);
});

/** Calls of the built-in tools, good and bad, in this order in one project. */
const calls: ReadonlyArray<{ tool: string; input: unknown; fails?: boolean }> = [
  { tool: 'Read', input: { file_path: 'none.ts' }, fails: true },
  { tool: 'Read', input: { file_path: 'src' }, fails: true },
  { tool: 'Read', input: { file_path: 'src/a.ts', limit: 'all' }, fails: true },
  { tool: 'Edit', input: { file_path: 'src/a.ts', old_string: 'one', new_string: '1' }, fails: true },
  { tool: 'Write', input: { file_path: 'src/a.ts', content: 'x' }, fails: true },
  { tool: 'Read', input: { file_path: 'src/a.ts' } },
  { tool: 'Edit', input: { file_path: 'src/a.ts', old_string: 'missing text', new_string: '1' }, fails: true },
  { tool: 'Edit', input: { file_path: 'src/a.ts', old_string: 'o', new_string: '0' }, fails: true },
  { tool: 'Edit', input: { file_path: 'src/a.ts', old_string: 'same', new_string: 'same' }, fails: true },
  { tool: 'Edit', input: { file_path: 'src/a.ts', old_string: 'one', new_string: '1' } },
  { tool: 'MultiEdit', input: { file_path: 'src/a.ts', edits: [{ old_string: 'two', new_string: '2' }] } },
  {
    tool: 'MultiEdit',
    input: { file_path: 'src/a.ts', edits: [{ old_string: 'nine', new_string: '2' }] },
    fails: true,
  },
  { tool: 'Write', input: { file_path: 'new.ts', content: 'x\n' } },
  { tool: 'apply_patch', input: { input: 'not a patch' }, fails: true },
  { tool: 'apply_patch', input: { input: '*** Begin Patch\n*** Add File: p.txt\n+x\n*** End Patch' } },
  { tool: 'Glob', input: { pattern: '**/*.ts' } },
  { tool: 'Glob', input: { pattern: '*.none' } },
  { tool: 'Glob', input: { pattern: '*', path: 'src/a.ts' }, fails: true },
  { tool: 'Grep', input: { pattern: 'three', output_mode: 'content' } },
  { tool: 'Grep', input: { pattern: 'nowhere' } },
  { tool: 'Grep', input: { pattern: '(' }, fails: true },
  { tool: 'Grep', input: { pattern: 'x', path: 'none' }, fails: true },
  { tool: 'LS', input: {} },
  { tool: 'LS', input: { path: 'none' }, fails: true },
  { tool: 'NotebookRead', input: { notebook_path: 'src/a.ts' }, fails: true },
  { tool: 'NotebookEdit', input: { notebook_path: 'src/a.ts', new_source: '' }, fails: true },
  { tool: 'Bash', input: { command: 'echo out; exit 3' }, fails: true },
  { tool: 'Bash', input: { command: 'grep nowhere src/a.ts' } },
  { tool: 'Bash', input: { command: 'cd src && true' } },
  { tool: 'Bash', input: { command: 'cd .. && sleep 60', timeout: 50 }, fails: true },
  { tool: 'Bash', input: { command: 'sleep 60', run_in_background: true } },
  { tool: 'BashOutput', input: { bash_id: 'none' }, fails: true },
  { tool: 'KillShell', input: { shell_id: 'none' }, fails: true },
  { tool: 'TodoWrite', input: { todos: [{ content: 'Test', status: 'pending' }] } },
  { tool: 'Think', input: { thought: 'two ways lead there' } },
  { tool: 'Task', input: { description: 'look around', prompt: 'x' }, fails: true },
  { tool: 'AgentOutput', input: { agentId: 'none' }, fails: true },
  { tool: 'Architect', input: { prompt: 'x' }, fails: true },
  { tool: 'AskUserQuestion', input: { questions: [] }, fails: true },
  { tool: 'Skill', input: { skill: 'none' }, fails: true },
  { tool: 'SlashCommand', input: { command: '/none' }, fails: true },
  { tool: 'ExitPlanMode', input: { plan: 'x' }, fails: true },
  { tool: 'ToolSearch', input: { query: 'select:None' } },
  { tool: 'WebFetch', input: { url: 'http://127.0.0.1:1/', prompt: 'x' }, fails: true },
  { tool: 'WebSearch', input: { query: 'words' }, fails: true },
  { tool: 'ListMcpResources', input: {}, fails: true },
  { tool: 'ReadMcpResource', input: { server: 'none', uri: 'a:b' }, fails: true },
  { tool: 'MemoryWrite', input: { file_path: 'build.md', content: 'make' } },
  { tool: 'MemoryRead', input: {} },
  { tool: 'MemoryRead', input: { file_path: 'none.md' }, fails: true },
  { tool: 'EnterPlanMode', input: {} },
  { tool: 'EnterPlanMode', input: {}, fails: true },
  { tool: 'Write', input: { file_path: 'planned.ts', content: '' }, fails: true },
];

test('the text of a tool without a display of its own is shown as that of the tool', async () => {
  const project = await temporaryProject();
  onTestFinished(() => project.remove());
  const weather = defineTool({
    name: 'Weather',
    description: 'The weather.',
    input: z.object({ city: z.string() }),
    effects: () => [],
    execute: async ({ city }) => ({ city }),
    toModel: ({ city }) => `Rain in ${city}. Use an umbrella.`,
  });
  const { display } = await project.run(weather, { city: 'Bonn' });
  expect(display).toMatchObject({
    body: { type: 'text', text: 'Rain in Bonn. Use an umbrella.' },
    writtenBy: 'Weather',
  });
});

test('the person sees nothing that was written for the model, whatever a call comes to', async () => {
  const project = await temporaryProject({ 'src/a.ts': 'one\ntwo\nthree\nfour\nfoo\n' });
  onTestFinished(() => project.remove());
  const seen: Array<{ call: string; shown: string }> = [];
  for (const { tool: name, input, fails = false } of calls) {
    const { isError, problem, display } = await run(project, name, input);
    const call = `${name} ${JSON.stringify(input)}`;
    expect({ call, isError }).toEqual({ call, isError: fails });
    expect({ call, hasProblem: problem !== undefined }).toEqual({ call, hasProblem: fails });
    expect(display.writtenBy).toBeUndefined();
    seen.push({ call, shown: shownTexts(display, problem).join('\n') });
  }
  expect(new Set(calls.map(({ tool }) => tool))).toEqual(new Set(Object.keys(toolList)));
  const wrong = seen.filter(({ shown }) => shown.split('\n').some((line) => ADVICE.test(line) || YOU.test(line)));
  expect(wrong).toEqual([]);
  expect(seen.filter(({ shown }) => /system-reminder|the user|running in background with ID/i.test(shown))).toEqual([]);
});

async function run(project: TestProject, name: string, input: unknown) {
  const tool = await toolList[name]?.();
  if (!tool) throw new Error(`There is no tool ${name}.`);
  const { isError, display, events } = await project.run(tool, input);
  const result = events.find((event) => event.type === 'tool_result');
  return { isError, display, problem: result?.problem };
}

/** What a surface may draw of a result. */
function shownTexts({ title, facts = [], body }: ToolDisplay, problem: string | undefined): string[] {
  if (problem !== undefined) return [title, ...facts, problem, ...(body?.type === 'output' ? [body.text] : [])];
  if (body?.type === 'text' || body?.type === 'output') return [title, ...facts, body.text];
  return [title, ...facts, ...(body?.type === 'list' ? body.items : [])];
}
