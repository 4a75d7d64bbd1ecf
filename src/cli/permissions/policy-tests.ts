// Unit tests of a policy: calls, and the expected answers.

import type { ParseError } from 'jsonc-parser';
import * as z from 'zod';
import type { ExplainRequest, Explanation } from '../../compose/explain-call.js';
import type { Behavior } from '../../contract/permission.js';
import { permissionModes, wallStates } from '../../contract/permission.js';
import { readRegularFile } from '../../platform/files/read-regular-file.js';
import { isObject } from '../../platform/is-object.js';
import { parseJson } from '../../platform/parse-json.js';
import { nearestWords } from '../../platform/text/similar-text.js';
import type { JsonNode } from '../../settings/document.js';
import { misspeltLineKey } from '../unknown-line-key.js';
import { whyUnreadable } from '../unreadable-file.js';
import { UsageProblem } from '../usage-problem.js';
import { asRequest } from './answer-line.js';

const expectations = ['allow', 'ask', 'deny', 'not-allow'] as const;

type Expectation = (typeof expectations)[number];

const mustBe = (what: string) => ({
  error: ({ input }: { input?: unknown }): string => (input === undefined ? 'is missing' : `must be ${what}`),
});

const choice = (values: readonly string[]) => mustBe(`one of ${values.join(', ')}`);

const circumstances = {
  settings: z.unknown().optional(),
  mode: z.enum(permissionModes, choice(permissionModes)).optional(),
  walls: z.enum(wallStates, choice(wallStates)).optional(),
  cwd: z.string(mustBe('a text')).optional(),
  home: z.string(mustBe('a text')).optional(),
};

const oneTest = z.looseObject(
  {
    ...circumstances,
    name: z.string(mustBe('a text')).optional(),
    id: z.union([z.string(), z.number()], mustBe('a text or a number')).nullish(),
    tool: z.string(mustBe('the name of a tool')),
    input: z.record(z.string(), z.unknown(), mustBe('an object')),
    expect: z.enum(expectations, choice(expectations)),
  },
  'must be an object',
);

const suite = z.strictObject({
  $schema: z.string(mustBe('a text')).optional(),
  ...circumstances,
  tests: z.array(z.unknown(), mustBe('a list')),
});

export interface FailedTest {
  name: string;
  expected: Expectation;
  decision: Behavior;
  reason: string;
  /** There was nothing to judge: an unknown tool, or an invalid input. */
  invalid?: true;
}

/** A test's own values override those of the file. */
export async function runPolicyTests(
  file: string,
  explain: (request: ExplainRequest) => Promise<Explanation>,
): Promise<{ total: number; failures: FailedTest[] }> {
  const tests = await readTests(file);
  const failures: FailedTest[] = [];
  for (const { name, expect, request } of tests) {
    const { decision, reason, invalid } = await explain(request);
    // A call that could not be judged is denied, which proves nothing about the policy.
    const isRight = !invalid && (expect === 'not-allow' ? decision !== 'allow' : decision === expect);
    if (!isRight) failures.push({ name, expected: expect, decision, reason, ...(invalid && { invalid }) });
  }
  return { total: tests.length, failures };
}

interface PolicyTest {
  name: string;
  expect: Expectation;
  request: ExplainRequest;
}

async function readTests(file: string): Promise<PolicyTest[]> {
  const text = readText(file).replace(/^\ufeff/, '');
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const { wordsFor } = await import('../../settings/document.js');
  const errors: ParseError[] = [];
  const whole: unknown = parse(text, errors, { allowTrailingComma: true });
  const [wrong] = errors;
  const isSuite = isObject(whole) && ('tests' in whole || !('tool' in whole || 'expect' in whole));
  const lines = wrong || !isSuite ? asLines(text) : undefined;
  const tests = lines
    ? lines.map(([number, value]) => understood(value, `${file}:${number}`, {}))
    : wrong
      ? unreadable(
          `${file}:${lineAt(text, wrong.offset)}: it is not valid JSON: ${wordsFor(printParseErrorCode(wrong.error))}`,
        )
      : testsOf(whole, file);
  if (tests.length === 0) unreadable(`${file} contains no tests`);
  await checkPolicies(text, { file, isLines: lines !== undefined });
  return tests;
}

/** Validates every `settings` in the file: that of all tests, and those of single tests. */
async function checkPolicies(text: string, { file, isLines }: { file: string; isLines: boolean }): Promise<void> {
  const { parseDocument } = await import('../../settings/document.js');
  const { checkPolicy } = await import('./check-policy.js');
  const rows = isLines ? text.split('\n').map((row, index) => '\n'.repeat(index) + row) : [text]; // keeps the line numbers
  for (const row of rows) {
    const parsed = parseDocument(row);
    if ('problem' in parsed) continue; // reported when the tests are parsed
    for (const policy of policiesIn(parsed.node)) checkPolicy(policy, { file, root: process.cwd() });
  }
}

function policiesIn(node: JsonNode): JsonNode[] {
  const tests = memberOf(node, 'tests');
  const places = [node, ...(tests?.type === 'list' ? tests.items : [])];
  return places.flatMap((place) => memberOf(place, 'settings') ?? []).filter(({ type }) => type === 'object');
}

const memberOf = (node: JsonNode, wanted: string): JsonNode | undefined =>
  node.type === 'object' ? node.members.findLast(({ name }) => name === wanted)?.node : undefined;

function readText(file: string): string {
  try {
    return readRegularFile(file);
  } catch (error) {
    throw new UsageProblem(`${file} can't be read: ${whyUnreadable(error)}.`);
  }
}

/** One test per line; undefined if the first line is not JSON, so that the text must be in another format. */
function asLines(text: string): Array<[number: number, value: unknown]> | undefined {
  const rows = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [[index + 1, line] as const]));
  const values = rows.map(([number, line]): [number, unknown] => [number, parseJson(line)]);
  const [first] = values;
  return first !== undefined && typeof first[1] === 'object' ? values : undefined;
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

function testsOf(whole: unknown, file: string): PolicyTest[] {
  const read = suite.safeParse(whole);
  if (!read.success) return unreadable(`${file}: ${firstIssue(read.error)}`);
  const { tests, $schema: _, ...common } = read.data;
  return tests.map((test, index) => understood(test, `${file}: test ${index + 1}`, common));
}

function understood(value: unknown, place: string, common: object): PolicyTest {
  const misspelt = isObject(value) ? misspeltLineKey(value, Object.keys(oneTest.shape)) : undefined;
  if (misspelt !== undefined) return unreadable(`${place}: ${misspelt}`);
  const read = oneTest.safeParse(value);
  if (!read.success) return unreadable(`${place}: ${firstIssue(read.error)}`);
  const { name, id, tool, input, expect } = read.data;
  const shown = `${tool} ${JSON.stringify(input)}`;
  return {
    name: name ?? (id === undefined || id === null ? shown.slice(0, 200) : String(id)),
    expect,
    request: asRequest(tool, { ...common, ...read.data }),
  };
}

function firstIssue({ issues }: z.ZodError): string {
  const odd = issues.find((issue) => issue.code === 'unrecognized_keys');
  if (odd) {
    const [name = ''] = odd.keys;
    const [meant] = nearestWords(name, Object.keys(suite.shape));
    return `it has "${name}", which is unknown${meant === undefined ? '' : `. Did you mean "${meant}"?`}`;
  }
  const [issue] = issues;
  return issue ? `${issue.path.length === 0 ? 'it' : `"${issue.path.join('.')}"`} ${issue.message}` : '';
}

function unreadable(what: string): never {
  throw new UsageProblem(
    `${what.endsWith('?') ? what : `${what}.`} A test is {"name"?, "tool", "input", "expect": "${expectations.join('|')}", "mode"?, "settings"?}; a file holds {"tests": […]} or one test a line.`,
  );
}
