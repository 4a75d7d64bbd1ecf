// Several calls that only look, in one sentence.
import type { ToolDisplay } from '../contract/tool.js';
import { counted } from '../platform/text/counted.js';

type Look = NonNullable<ToolDisplay['looks']>;

const looks = ['read', 'search', 'find', 'list'] as const satisfies readonly Look[];

const verbs: Readonly<Record<Look, readonly [done: string, running: string]>> = {
  read: ['read', 'reading'],
  search: ['searched', 'searching'],
  find: ['found', 'finding'],
  list: ['listed', 'listing'],
};

export interface LooksForm {
  hasFacts: boolean;
  /** How many names there are at most; more are counted. */
  names: number;
}

/** `Read` with `a.ts, b.ts`; `searched` with `"total"`, which has the aside `6 matching lines in 3 files`. */
export interface LooksPart {
  verb: string;
  subjects: ReadonlyArray<{ text: string; aside?: string }>;
}

/** `shown` cleans and abbreviates what a display says. */
export function looksWords(
  displays: readonly ToolDisplay[],
  { isRunning, form, shown }: { isRunning: boolean; form: LooksForm; shown(text: string): string },
): LooksPart[] {
  return looks
    .map((look) => ({ look, calls: displays.filter((display) => display.looks === look) }))
    .filter(({ calls }) => calls.length > 0)
    .sort(
      (one, other) =>
        displays.findIndex((display) => display.looks === one.look) -
        displays.findIndex((display) => display.looks === other.look),
    )
    .map(({ look, calls }, index) => {
      const [done, running] = verbs[look];
      const verb = isRunning ? running : done;
      return {
        verb: index === 0 ? `${verb.charAt(0).toUpperCase()}${verb.slice(1)}` : verb,
        subjects: subjects(look, calls, form, shown),
      };
    });
}

function subjects(
  look: Look,
  calls: readonly ToolDisplay[],
  { hasFacts, names: most }: LooksForm,
  shown: (text: string) => string,
): LooksPart['subjects'] {
  if (look === 'read' || look === 'list') {
    const names = [...new Set(calls.map(({ title, file = title }) => shown(file)))];
    if (calls.length === 1) return [{ text: shown(calls[0]?.title ?? '') }];
    if (names.length > most) return [{ text: counted(names.length, look === 'read' ? 'file' : 'folder') }];
    return names.map((text) => ({ text }));
  }
  // The same search again is one search, with what it found last.
  return [...new Map(calls.map((call) => [call.title, call])).values()].map(({ title, facts = [] }) => {
    const subject = shown(title);
    return {
      text: look === 'find' ? subject : quoted(subject),
      ...(facts.length > 0 && hasFacts && { aside: facts.map(shown).join(', ') }),
    };
  });
}

/** `total in src` as `"total" in src`. */
function quoted(title: string): string {
  const at = title.lastIndexOf(' in ');
  return at > 0 ? `"${title.slice(0, at)}"${title.slice(at)}` : `"${title}"`;
}
