/** The parts of a help page that completion needs: the page is the only table of flags. */
export interface PageTable {
  /** What the command does. */
  about: string;
  actions: ReadonlyMap<string, ActionRow>;
  /** The operands of the command itself, if it has no actions. */
  own: ActionRow;
  flags: readonly FlagRow[];
}

export interface ActionRow {
  about: string;
  /** Placeholders of the operands, such as ID or FILE. */
  operands: readonly string[];
  /** The last operand may be repeated. */
  repeats: boolean;
}

export interface FlagRow {
  name: string;
  /** The placeholder of its value, such as MODE; undefined if it takes none. */
  value: string | undefined;
  about: string;
  /** The only actions that accept it; undefined if all do. */
  actions: ReadonlySet<string> | undefined;
}

const PLACEHOLDER = '(?:[A-Z]+(?:[=,][A-Z]+)*(?![a-z])|[a-z]+(?:\\|[a-z]+)+|"[^"]*"|stdio\\b|mcp__\\w+)';
const FLAG = '--?[a-zA-Z][\\w-]*';
const option = new RegExp(`^ {2}(${FLAG}(?: ${PLACEHOLDER})?(?:, ${FLAG}(?: ${PLACEHOLDER})?)*) +(\\S.*)$`);
const flagWithValue = new RegExp(`(?<![\\w-])(${FLAG})(?: (${PLACEHOLDER}))?`, 'g');
const section = /^Options of ([a-z, -]+)$/;
const limited = /\bof ([a-z-]+(?:(?:, | and )[a-z-]+)*):/g;

export function readPage(command: string, page: string): PageTable {
  const [title = '', ...lines] = page.split('\n');
  const flags = new Map<string, FlagRow>();
  for (const flag of readOptions(lines)) {
    const known = flags.get(flag.name);
    flags.set(flag.name, known ? merged(known, flag) : flag);
  }
  const actions = new Map<string, ActionRow>();
  let own: ActionRow = { about: '', operands: [], repeats: false };
  for (const { action, row, flags: shown } of lines.flatMap((line) => readUsage(command, line) ?? [])) {
    if (action === undefined) own = longer(own, row);
    else actions.set(action, longer(actions.get(action), row));
    const only = action === undefined ? undefined : new Set([action]);
    for (const { name, value } of shown) {
      if (!flags.has(name)) flags.set(name, { name, value, about: row.about, actions: only });
    }
  }
  return { about: title.slice(title.indexOf(': ') + 2), actions, own, flags: [...flags.values()] };
}

function readOptions(lines: readonly string[]): FlagRow[] {
  let ofSection: ReadonlySet<string> | undefined;
  return lines.flatMap((line) => {
    if (/^\S/.test(line)) ofSection = namesIn(section.exec(line)?.[1]);
    const [, heads, text = ''] = option.exec(line) ?? [];
    if (heads === undefined) return [];
    const limits = [...text.matchAll(limited)];
    const named = limits.flatMap(([, names]) => [...(namesIn(names) ?? [])]);
    const about = limits.length === 1 ? text.replace(/^of [^:]+: /, '') : text;
    return readHeads(heads).map((flag) => ({ ...flag, about, actions: named.length > 0 ? new Set(named) : ofSection }));
  });
}

/** A short flag takes the same value as the long one before it. */
function readHeads(heads: string): Array<Pick<FlagRow, 'name' | 'value'>> {
  let before: string | undefined;
  return [...heads.matchAll(flagWithValue)].map(([, name = '', written]) => {
    before = written ?? (name.startsWith('--') ? undefined : before);
    return { name, value: before };
  });
}

/** A flag may be listed for several actions. */
const merged = (known: FlagRow, other: FlagRow): FlagRow => ({
  ...known,
  actions: known.actions && other.actions && known.actions.union(other.actions),
});

function readUsage(command: string, line: string) {
  const prefix = `  helve ${command}`;
  if (line !== prefix && !line.startsWith(`${prefix} `)) return undefined;
  const [head = '', about = ''] = splitOnce(line.slice(prefix.length), /\s{2,}/);
  const action = /^ \[?([a-z][\w-]*)\]?(?= |$)/.exec(head);
  const words = head.slice(action?.[0].length ?? 0).replace(/ -- .*/, ''); // flags after it belong to another program
  const flags = [...words.matchAll(flagWithValue)].map(([, name = '', value]) => ({ name, value }));
  const operands = words.replace(flagWithValue, '').match(/[A-Z]{2,}/g) ?? [];
  return { action: action?.[1], flags, row: { about, operands, repeats: words.includes('…') } };
}

const splitOnce = (text: string, at: RegExp): [string, string] => {
  const found = at.exec(text);
  return found ? [text.slice(0, found.index), text.slice(found.index + found[0].length)] : [text, ''];
};

/** A command may be listed in several forms: the first says what it does, the longest what it takes. */
const longer = (known: ActionRow | undefined, other: ActionRow): ActionRow =>
  !known || other.operands.length > known.operands.length ? { ...other, about: known?.about || other.about } : known;

const namesIn = (names: string | undefined): ReadonlySet<string> | undefined =>
  names === undefined ? undefined : new Set(names.split(/, | and /));
