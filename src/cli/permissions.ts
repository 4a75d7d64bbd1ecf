import { knownNames } from '../agent/known-names.js';
import { createExplainer, type ExplainerOptions } from '../compose/explain-call.js';
import { type PermissionMode, permissionModes, wallStates } from '../contract/permission.js';
import { counted } from '../platform/text/counted.js';
import { jsonText } from '../platform/text/json-line.js';
import { readLines } from '../platform/text/read-lines.js';
import { visible } from '../platform/text/visible.js';
import { orderedRules, ruleCounts, ruleLines } from '../settings/describe-rules.js';
import { readSettings } from '../settings/load.js';
import { isFatal, oneLine, trustNotice } from '../settings/settings-problem.js';
import { permissionFlags, readArgs } from './args.js';
import { readCallArguments } from './call-arguments.js';
import { chooseAction } from './choose-action.js';
import { existingFolder, rulesOfFlags } from './engine-options.js';
import { exitCode } from './exit-codes.js';
import { oneOf } from './one-of.js';
import { answerLine, asAnswer } from './permissions/answer-line.js';
import { describeExplanation } from './permissions/describe-explanation.js';
import { runPolicyTests } from './permissions/policy-tests.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

const USAGE =
  'Use helve permissions explain TOOL with words or JSON, helve permissions explain --stdin, helve permissions test FILE or helve permissions list.';

const flags = {
  json: { type: 'boolean' },
  stdin: { type: 'boolean' },
  walls: { type: 'string' },
  ...permissionFlags,
} as const;

type Flags = ReturnType<typeof readArgs<typeof flags>>['values'];

const actions: Readonly<Record<string, (words: readonly string[], values: Flags) => Promise<number>>> = {
  explain,
  test,
  list,
};

/** Shows what is allowed here, and why, without running anything. */
export async function permissions(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readQuoted(argv);
  const [name, ...words] = positionals;
  return await chooseAction('permissions', name, actions, USAGE)(words, values);
}

/** The options of an unquoted command would be read as ours. */
function readQuoted(argv: readonly string[]) {
  try {
    return readArgs(argv, flags);
  } catch (error) {
    const [action, tool] = argv;
    if (!(error instanceof UsageProblem) || action !== 'explain' || tool === undefined || tool.startsWith('-'))
      throw error;
    throw new UsageProblem(
      `${error.message} If it belongs to the command, put the command in quotes: helve permissions explain ${tool} "…"`,
    );
  }
}

async function explain(words: readonly string[], values: Flags): Promise<number> {
  const explainCall = createExplainer(explainerOptions(values));
  if (values.stdin) {
    if (words.length > 0) throw new UsageProblem(`--stdin takes its calls from standard input. ${USAGE}`);
    let number = 0;
    for await (const line of readLines(process.stdin, new AbortController().signal)) {
      number += 1;
      if (line.trim() !== '') await writeLine(process.stdout, await answerLine(line, number, explainCall));
    }
    return exitCode.ok;
  }
  const explanation = await explainCall(readCallArguments(words, USAGE));
  const shown = values.json
    ? jsonText(asAnswer(explanation))
    : visible(describeExplanation(explanation, { cwd: process.cwd() }));
  await writeLine(process.stdout, shown);
  return explanation.invalid ? exitCode.usage : exitCode.ok;
}

function explainerOptions(values: Flags): ExplainerOptions {
  const mode = modeOf(values);
  const walls = values.walls === undefined ? undefined : oneOf('--walls', wallStates, values.walls);
  return {
    ...(mode && { mode }),
    ...(walls && { walls }),
    additionalDirectories: (values['add-dir'] ?? []).map(existingFolder),
    permissions: rulesOfFlags(values),
    settings: loadOptions(values),
  };
}

const loadOptions = ({ settings, trust }: Flags) => ({
  env: process.env,
  ...(settings !== undefined && { flag: settings }),
  ...(trust && { trust }),
});

/** Explaining a mode does not run in it, so every mode is accepted. */
function modeOf(values: Flags): PermissionMode | undefined {
  const wanted = values['dangerously-skip-permissions'] ? 'bypassPermissions' : values['permission-mode'];
  return wanted === undefined ? undefined : oneOf('--permission-mode', permissionModes, wanted);
}

async function test(words: readonly string[], values: Flags): Promise<number> {
  const [file, ...more] = words;
  if (file === undefined || more.length > 0) throw new UsageProblem(`helve permissions test takes one file. ${USAGE}`);
  const { total, failures } = await runPolicyTests(file, createExplainer(explainerOptions(values)));
  if (values.json) {
    await writeLine(process.stdout, jsonText({ total, failed: failures.length, failures }));
  } else {
    for (const { name, expected, decision, reason, invalid } of failures) {
      const what = invalid
        ? 'could not be judged, which proves nothing'
        : `expected ${expected}, but the answer is ${decision}`;
      await writeLine(process.stdout, `${oneLine(name)}: ${what}. ${visible(reason).replaceAll('\n', '\n  ')}`);
    }
    const count = counted(total, 'test');
    await writeLine(process.stdout, failures.length === 0 ? `${count}, all pass` : `${count}, ${failures.length} fail`);
  }
  return failures.length === 0 ? exitCode.ok : exitCode.failed;
}

/** Lists all rules that apply here, with their sources. */
async function list(words: readonly string[], values: Flags): Promise<number> {
  if (words.length > 0)
    throw new UsageProblem(`helve permissions list takes no argument such as "${words[0]}". ${USAGE}`);
  const { allow, deny } = rulesOfFlags(values);
  if (allow.length + deny.length > 0) {
    throw new UsageProblem(
      'helve permissions list shows the rules of settings. --allowed-tools and --disallowed-tools go with explain and test.',
    );
  }
  const root = process.cwd();
  const settings = await readSettings({ ...loadOptions(values), root, ...knownNames({ root }) });
  const { problems, trust } = settings;
  const mode = modeOf(values) ?? settings.defaultMode?.value ?? 'default';
  const rows = orderedRules(settings);
  const folders = [
    ...settings.additionalDirectories.map(({ value }) => value),
    ...(values['add-dir'] ?? []).map(existingFolder),
  ];
  if (values.json) {
    const rules = rows.map((rule) => ({
      list: rule.list,
      rule: rule.text,
      file: rule.source.file,
      line: rule.source.line ?? null,
      trusted: rule.trusted,
      counts: ruleCounts(rule),
    }));
    const answer = { mode, rules, additional_directories: folders, trust: trust.state, problems };
    await writeLine(process.stdout, jsonText(answer));
  } else {
    for (const line of ruleLines(settings)) await writeLine(process.stdout, line);
    if (rows.length === 0) await writeLine(process.stdout, 'No rules. helve config path says where settings go.');
    await writeLine(process.stdout, `Mode: ${mode}`);
    for (const folder of folders) await writeLine(process.stdout, `Part of the project: ${oneLine(folder)}`);
    const notice = trustNotice(trust);
    const told = [...problems.map(({ message }) => message), ...(notice === undefined ? [] : [notice])];
    for (const line of told) await writeLine(process.stderr, `helve: ${visible(line)}`);
  }
  return problems.some(isFatal) ? exitCode.failed : exitCode.ok;
}
