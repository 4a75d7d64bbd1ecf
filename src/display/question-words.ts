// What a permission question says and offers, as data: a dialog and plain lines show the same.
import type { CommandEffect, Effect, FileEffect } from '../contract/effect.js';
import type { PermissionAnswer, PermissionQuestion, Risk } from '../contract/permission.js';
import { reasonForPeople } from '../permissions/detect-injection.js';
import { type Places, placeWords } from '../permissions/risks/place-words.js';
import { isWriteWithin } from '../permissions/risks/write-within.js';
import { safeCut } from '../platform/text/truncate.js';
import { visibleLine } from '../platform/text/visible-lines.js';
import { callName, shownTool } from './shown-tool.js';

/**
 * The question in one line: what would happen to which file, or the model's description of a command, after the task of
 * the child agent that asks. The model's words are quoted, and `shorten` makes them fit beside Helve's own, which always
 * stand behind them.
 */
export function headline(question: PermissionQuestion, places: Places, shorten = shortened): string {
  const { agent } = question;
  const task = quotable(agent?.description);
  if (!agent || task === undefined)
    return questionFrom(agent ? `${agent.type} agent: ` : '', question, places, shorten);
  const type = ` (${agent.type}): `;
  const beside = questionFrom(`“”${type}`, question, places, (text) => text.slice(0, LEAST_QUOTED));
  const shown = shorten(task.slice(0, safeCut(task, MAX_TASK)), beside);
  return questionFrom(`“${shown}”${type}`, question, places, shorten);
}

function questionFrom(from: string, question: PermissionQuestion, places: Places, shorten: Shorten): string {
  if (question.irreversible !== undefined) return `${from}${LOST}${shorten(question.irreversible, `${from}${LOST}`)}`;
  const said = runsCommand(question) ? described(question.input) : undefined;
  if (said === undefined) return `${from}${asked(question, places)}`;
  const ending = ' — run this command?';
  return `${from}“${shorten(said, `${from}“”${ending}`)}”${ending}`;
}

export const MAX_HEADLINE = 200; // characters
const MAX_TASK = 40; // characters of an agent's task
const LEAST_QUOTED = 8; // characters

/** Makes a text fit beside another one. */
type Shorten = (text: string, beside: string) => string;

const shortened: Shorten = (text, beside) => {
  const room = Math.max(LEAST_QUOTED, MAX_HEADLINE - beside.length);
  const line = visibleLine(text);
  return line.length <= room ? line : `${line.slice(0, safeCut(line, room - 1))}…`;
};

const LOST = "Can't be undone: ";

/** The risks that the headline does not say already. */
export const risksBelow = ({ risks, irreversible }: PermissionQuestion, title: string): readonly Risk[] =>
  risks.filter(({ text }) => text !== irreversible || !title.endsWith(visibleLine(text)));

/** A redirection alone is a command too. */
const runsCommand = ({ effects, confinement }: PermissionQuestion): boolean =>
  confinement !== undefined || effects.some(({ kind }) => kind === 'command');

function asked(question: PermissionQuestion, places: Places): string {
  if (runsCommand(question)) return 'Run this command?';
  const { tool, effects, display } = question;
  const files = effects.filter((effect) => effect.kind === 'file');
  const written = files.filter(({ access }) => access === 'write');
  const names = [...new Set((written.length > 0 ? written : files).map(({ path }) => path))];
  const [path] = names;
  const isUnknown = effects.some(({ kind }) => kind === 'unknown');
  if (path === undefined && !isUnknown && display.action !== undefined && display.title !== '')
    return `${display.action} ${display.title}?`;
  if (path === undefined || isUnknown) return `Allow ${shownTool(tool)}?`;
  const what = names.length > 1 ? `${names.length} files` : placeWords(path, places);
  if (written.length === 0) return `Read ${what}?`;
  if (written.every(({ removes }) => removes)) return `Delete ${what}?`;
  if (written.every(isNew)) return `Create ${what}?`;
  const name = callName({ tool, action: display.action }); // the transcript names the call so
  return `${/^[A-Z][a-z]+$/.test(name) ? name : 'Change'} ${what}?`;
}

/** The model's words for a command. */
const described = (input: unknown): string | undefined =>
  quotable(typeof input === 'object' && input !== null && 'description' in input ? input.description : undefined);

/** Words of the model for a quotation. Quotes in them can't end it. */
function quotable(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return text
    .trim()
    .replace(/[.!?…]{1,10}$/, '')
    .replaceAll(/[“”„‟"]/g, "'");
}

const isNew = ({ identity, tree, removes }: FileEffect): boolean => identity === undefined && !tree && !removes;

export interface EffectWords {
  /** Without it the text is an aside. */
  verb?: string;
  text: string;
}

/**
 * The effects that matter for the answer and that no risk has named: without what only looks at the project, without
 * what the headline says, and each file once.
 */
export function effectWords(question: PermissionQuestion, places: Places): EffectWords[] {
  const { effects, risks, decision, commandReasons } = question;
  const named = new Set(risks.flatMap((risk) => risk.effects));
  const commands = effects.filter((effect) => effect.kind === 'command');
  const written = new Set(effects.flatMap((effect) => (isWrite(effect) ? [effect.path] : [])));
  const isGrave = risks.some(({ level }) => level === 'high'); // harmless lines would draw the eye away from it
  const deciding = new Set(decision.trail?.flatMap(({ decided, effect = -1 }) => (decided ? [effect] : [])));
  const said = effects.flatMap((effect, index): EffectWords[] => {
    if (named.has(index) || isNamedAbove(effect, risks, places)) return [];
    if (effects.some((other) => isWriteWithin(effect, other))) return [];
    if (effect.kind === 'command') return commandWords(effect, commandReasons?.[index], risks);
    if (effect.kind === 'network') return [{ verb: 'reaches', text: effect.url }];
    if (effect.kind === 'unknown') return [{ verb: 'could touch anything:', text: effect.why }];
    if (effect.kind === 'session') {
      const isAsked = deciding.has(index) && effect.access === 'write';
      return isAsked ? [{ verb: 'changes', text: sessionWords[effect.what] }] : [];
    }
    const isOnlySubject = commands.length === 0 && written.size <= 1 && effect.real === effect.path;
    // The headline names the file, but not why it is asked about.
    if (isOnlySubject && effect.access === 'read' && written.size === 0 && !isInProject(effect, places)) {
      return [{ verb: verbOf(effect), text: 'outside the project' }];
    }
    const isNoise =
      isInProject(effect, places) && (isGrave ? !effect.removes : effect.access === 'read' && !deciding.has(index));
    const isReadToWrite = effect.access === 'read' && written.has(effect.path) && !deciding.has(index);
    return isOnlySubject || isNoise || isReadToWrite ? [] : [fileWords(effect, places)];
  });
  return byVerb(said);
}

/** One line for each verb, and each name once. */
function byVerb(said: readonly EffectWords[]): EffectWords[] {
  const asides = [...new Set(said.flatMap(({ verb, text }) => (verb === undefined ? [text] : [])))];
  const verbs = [...new Set(said.flatMap(({ verb }) => verb ?? []))];
  return [
    ...asides.map((text) => ({ text })),
    ...verbs.map((verb) => {
      const names = new Set(said.filter((each) => each.verb === verb).map(({ text }) => text));
      return { verb, text: [...names].join(', ') };
    }),
  ];
}

const isWrite = (effect: Effect): effect is FileEffect => effect.kind === 'file' && effect.access === 'write';

const isInProject = ({ path, real, unresolved }: FileEffect, { project }: Places): boolean =>
  unresolved === undefined &&
  [path, real].every((name) => project.some((folder) => name === folder || name.startsWith(`${folder}/`)));

/** A device that a command overwrites is no file that it creates. */
const isNamedAbove = (effect: Effect, risks: readonly Risk[], places: Places): boolean =>
  effect.kind === 'file' &&
  risks.some(({ level, text }) => level === 'high' && text.endsWith(` ${placeWords(effect.path, places)}`));

/** The command itself is shown whole: only what it can do is worth a line, unless a `▲` above says it. */
function commandWords(command: CommandEffect, reason: string | undefined, risks: readonly Risk[]): EffectWords[] {
  const isUnknown =
    command.argv === undefined && risks.some(({ kind, level }) => kind === 'unknown' && level === 'high');
  const isNamed = isUnknown || risks.some(({ level, part }) => level === 'high' && part === command.text);
  const why = isNamed ? undefined : reason;
  const isShown = why === undefined || /^it (writes|deletes|removes|reaches the network|changes files)/.test(why);
  const assigned = command.assignsUnsafely && command.assigns?.length ? command.assigns.join(', ') : undefined;
  return [
    ...(isShown ? [] : [{ text: why.replace(/^it /, `${command.argv?.[0] ?? 'it'} `) }]),
    ...(assigned === undefined ? [] : [{ text: `sets ${assigned}, which may change what runs` }]),
  ];
}

function fileWords(effect: FileEffect, places: Places): EffectWords {
  const { path, real, pattern, unresolved } = effect;
  if (unresolved !== undefined) return { verb: verbOf(effect), text: `${unresolved} (unknown until it runs)` };
  const name = placeWords(pattern ?? path, places);
  return { verb: verbOf(effect), text: real === path ? name : `${name} → ${placeWords(real, places)} (a link)` };
}

function verbOf(effect: FileEffect): string {
  const { access, removes, listing, tree } = effect;
  if (removes) return 'deletes';
  if (access === 'write') return tree ? 'writes below' : isNew(effect) ? 'creates' : 'writes';
  if (listing) return 'lists';
  return tree ? 'reads below' : 'reads';
}

export const sessionWords = {
  cwd: 'the working directory',
  mode: 'the permission mode',
  todos: 'the to-do list',
  tools: 'the set of tools',
  memory: "the project's memory",
} as const;

/** Why a rule, a hook or a protected path asks; undefined if the question itself shows it. */
export function whyItAsks(question: PermissionQuestion): string[] {
  const { decision, reason, suggestions, risks, whyNoRule } = question;
  const said = question.irreversible !== undefined && runsCommand(question) ? described(question.input) : undefined;
  const ground = decision.trail?.find(({ decided }) => decided);
  const isRisk = risks.some(({ effects }) => effects.includes(ground?.effect ?? -1));
  const bases = isRisk
    ? /^(default|plan_mode|mode|sandbox|critical_path|protected_path)$/
    : /^(default|plan_mode|mode|sandbox)$/;
  const isShown = ground !== undefined && bases.test(ground.basis) && !decision.injection;
  const place = ground?.rule && ` (${ground.rule.file}${ground.rule.line === undefined ? '' : `:${ground.rule.line}`})`;
  const why = reasonForPeople({ ...decision, reason });
  const named = place === undefined || why.includes(ground?.rule?.file ?? '') ? why : `${why}${place}`;
  return [
    ...(said === undefined ? [] : [`The model's description: “${said}”`]),
    ...(isShown ? [] : [`Why it asks: ${named}`]),
    ...(suggestions.length === 0 && whyNoRule !== undefined ? [onlyOnce(whyNoRule)] : []),
  ];
}

/** Without "only this once", which a sentence that begins with "no rule" says itself. */
const onlyOnce = (why: string): string => (why.startsWith('no rule') ? `N${why.slice(1)}.` : `Only this once: ${why}.`);

/** What a question says about undo after a risk; empty if undo does not help. */
export function undoWords({ undoable, text }: Pick<Risk, 'undoable' | 'text'>): string {
  if (undoable === 'perhaps') return 'undo restores what it could copy';
  if (!undoable) return '';
  return text.startsWith('creates ') ? 'undo removes it' : 'undo restores it';
}

/** Symbols, so that the level shows without colours too. */
export const riskMarks: Readonly<Record<Risk['level'], string>> = { high: '▲', notable: '△' };

/** A risk in words, with what undo can do about it. `quote` is the part of the command that it comes from. */
export const riskWords = ({ text, undoable }: Risk, quote?: string): string =>
  [`${visibleLine(text)}${quote === undefined ? '' : `: ${quote}`}`, undoWords({ undoable, text })]
    .filter((words) => words !== '')
    .join(' · ');

/** Said among the risks if the subject of a question is not shown whole. */
export const PARTIAL_WARNING = 'Not everything is shown: the change is too large. Read the file before you allow it.';

/** Shown while a reason for a refusal is asked for. */
export const REFUSAL_PROMPT = 'What should be done instead?';

/** One way to answer. */
export interface AnswerChoice {
  key: string;
  label: string;
  /** The rules that it saves. */
  rules?: readonly string[];
  /** The rules, for the person. */
  about?: string;
  /** The answer; `edit` lets the person change the rules first, `refuse` asks for a reason. */
  gives: Extract<PermissionAnswer, { behavior: 'allow' }> | 'edit' | 'refuse';
}

/** Whether Enter alone may approve: not what can't be undone, and not what reaches beyond the files of the project. */
export const mayPreselectYes = (risks: readonly Risk[]): boolean =>
  risks.every(({ level, kind }) => level !== 'high' && !needsALook.has(kind));

/** What reaches beyond the files of the project, and what takes something away, even if undo could restore it. */
const needsALook: ReadonlySet<Risk['kind']> = new Set([
  ...(['writes_outside', 'startup', 'secrets'] as const),
  ...(['deletes', 'rewrites_history', 'remote_change', 'publishes'] as const),
]);

/**
 * At most three choices to begin with, and all of them. `unread` says what has not been on the screen: a yes to that
 * says so, and holds for this call alone.
 */
export function answerChoices(
  { effects, risks, confinement }: PermissionQuestion,
  rules: readonly string[],
  unread?: string,
): { first: readonly AnswerChoice[]; all: readonly AnswerChoice[] } {
  const label = unread === undefined ? 'Yes' : `Yes, ${unread}`;
  const yes: AnswerChoice = { key: 'y', label, gives: { behavior: 'allow' } };
  const no: AnswerChoice = { key: 'n', label: 'No, and say what to do instead', gives: 'refuse' };
  if (unread !== undefined) return { first: [yes, no], all: [yes, no] };
  const slashes = rules.some((rule) => rule.includes('(//')) ? ' (// begins an absolute path)' : '';
  const keeping = (key: string, scope: 'session' | 'always'): AnswerChoice => ({
    key,
    label: `Yes, and don't ask again in this ${scope === 'always' ? 'project' : 'session'} for`,
    rules,
    about: `${rules.join(', ')}${slashes}`,
    gives: { behavior: 'allow', remember: { rules, scope } },
  });
  // A redirection without a command, as in `> file`, has the effects of an edit.
  const runsCommand = confinement !== undefined;
  const isEdit =
    !runsCommand &&
    effects.every((effect) => effect.kind === 'file' || (effect.kind === 'session' && effect.access === 'read'));
  const writes = effects.some((effect) => effect.kind === 'file' && effect.access === 'write' && !effect.removes);
  const edits: readonly AnswerChoice[] =
    isEdit && writes && risks.length === 0
      ? [{ key: 'a', label: 'Yes, and accept edits from now on', gives: { behavior: 'allow', mode: 'acceptEdits' } }]
      : [];
  const remembered: readonly AnswerChoice[] =
    rules.length === 0
      ? []
      : [
          keeping(edits.length > 0 ? 'p' : 'a', 'always'),
          keeping('s', 'session'),
          { key: 'e', label: 'Yes, and change the rule first', gives: 'edit' },
        ];
  // An answer that holds for later calls is one more step away from what can't be taken back.
  const isHigh = risks.some(({ level }) => level === 'high');
  const second = isHigh ? [] : [...edits, ...remembered].slice(0, 1);
  return { first: [yes, ...second, no], all: [yes, ...edits, ...remembered, no] };
}
