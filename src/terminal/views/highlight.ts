// Highlights code: keywords, strings, comments and numbers, from one table of languages. It need not understand a
// language, but must never change a character.
import type { Paint } from '../screen/theme.js';

const MAX_CODE_CHARS = 200_000; // more than a user looks at, and it is redrawn with every delta

interface Language {
  names: string;
  keywords: string;
  /** What starts a comment that ends with its line. */
  line?: readonly string[];
  block?: readonly (readonly [open: string, close: string])[];
  /** The delimiters of strings; those that span lines are in `long`. */
  quotes?: string;
  long?: readonly string[];
  /** Whether keywords are case-insensitive. */
  anyCase?: boolean;
}

const slashes = { line: ['//'], block: [['/*', '*/']] } as const;
const cLike = 'if else for while do switch case default break continue return';

const languages: readonly Language[] = [
  {
    names: 'ts typescript js javascript jsx tsx mjs cjs mts cts',
    keywords: `${cLike} abstract as async await catch class const constructor debugger declare delete enum export extends false finally from function get implements import in infer instanceof interface is keyof let namespace new null of override private protected public readonly satisfies set static super this throw true try type typeof undefined using var void yield`,
    ...slashes,
    quotes: '"\'',
    long: ['`'],
  },
  {
    names: 'py python python3',
    keywords:
      'and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield',
    line: ['#'],
    quotes: '"\'',
    long: ['"""', "'''"],
  },
  {
    names: 'sh bash zsh shell console shellscript fish',
    keywords:
      'if then else elif fi for while until do done case esac in function return local export readonly declare set unset exit source cd echo trap shift break continue eval exec test true false sudo',
    line: ['#'],
    quotes: '"\'',
  },
  { names: 'json jsonc json5', keywords: 'true false null', ...slashes, quotes: '"' },
  { names: 'yaml yml', keywords: 'true false null yes no on off', line: ['#'], quotes: '"\'' },
  { names: 'toml ini conf properties', keywords: 'true false', line: ['#', ';'], quotes: '"\'' },
  {
    names: 'rs rust',
    keywords: `${cLike} as async await const crate dyn enum extern false fn impl in let loop match mod move mut pub ref self Self static struct super trait true type unsafe use where Some None Ok Err`,
    ...slashes,
    quotes: '"',
  },
  {
    names: 'go golang',
    keywords: `${cLike} any chan const defer error fallthrough false func go goto import interface iota map nil package range select string struct true type var int bool byte`,
    ...slashes,
    quotes: '"\'',
    long: ['`'],
  },
  {
    names: 'c h cpp c++ cc hpp objc arduino',
    keywords: `${cLike} auto bool catch char class const constexpr delete double enum explicit extern false float friend goto inline int long namespace new noexcept nullptr operator override private protected public register short signed sizeof static struct template this throw true try typedef typename union unsigned using virtual void volatile include define ifdef ifndef endif pragma`,
    ...slashes,
    quotes: '"\'',
  },
  {
    names: 'java kt kotlin cs csharp scala groovy dart',
    keywords: `${cLike} abstract as async await base boolean byte catch char class const data def double enum extends false final finally float fun get goto implements import in instanceof int interface internal is lateinit lazy long match namespace new null object open operator override package private protected public readonly record sealed set static string struct super suspend synchronized this throw throws trait true try typeof using val var virtual void volatile when with yield`,
    ...slashes,
    quotes: '"\'',
    long: ['"""'],
  },
  {
    names: 'swift',
    keywords: `${cLike} actor as async await catch class deinit enum extension false fileprivate func guard import in init inout internal is let nil open operator override private protocol public repeat self Self static struct subscript super throw throws true try typealias var where`,
    ...slashes,
    quotes: '"',
    long: ['"""'],
  },
  {
    names: 'rb ruby',
    keywords:
      'alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true undef unless until when while yield attr_accessor attr_reader',
    line: ['#'],
    quotes: '"\'',
  },
  {
    names: 'php',
    keywords: `${cLike} abstract and array as catch class clone const declare echo elseif empty enum extends false final finally fn foreach function global goto implements include instanceof interface isset match namespace new null or print private protected public readonly require static this throw trait true try unset use var yield`,
    line: ['//', '#'],
    block: [['/*', '*/']],
    quotes: '"\'',
  },
  {
    names: 'sql postgres postgresql mysql sqlite',
    keywords:
      'add all alter and as asc begin between by case check column commit constraint create cross database default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references replace returning right rollback select set table then transaction union unique update using values view when where with',
    line: ['--'],
    block: [['/*', '*/']],
    quotes: '\'"',
    anyCase: true,
  },
  { names: 'html xml svg vue svelte', keywords: '', block: [['<!--', '-->']], quotes: '"\'' },
  {
    names: 'css scss less',
    keywords: 'important media import supports keyframes root',
    block: [['/*', '*/']],
    quotes: '"\'',
  },
  {
    names: 'lua',
    keywords:
      'and break do else elseif end false for function goto if in local nil not or repeat return then true until while',
    line: ['--'],
    quotes: '"\'',
    long: [],
  },
  {
    names: 'dockerfile docker',
    keywords: 'FROM RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD HEALTHCHECK SHELL AS',
    line: ['#'],
    quotes: '"\'',
  },
  {
    names: 'make makefile mk',
    keywords: 'ifeq ifneq ifdef ifndef else endif include define endef export',
    line: ['#'],
    quotes: '"\'',
  },
  {
    names: 'hcl terraform tf nix',
    keywords:
      'resource variable output module provider data locals for in if then else let with rec inherit true false null',
    line: ['#', '//'],
    block: [['/*', '*/']],
    quotes: '"',
  },
  {
    names: 'ex elixir exs erl',
    keywords:
      'after alias and case catch cond def defmodule defp defstruct do else end false fn for if import in nil not or quote raise receive require rescue true try unless use when with',
    line: ['#'],
    quotes: '"\'',
    long: ['"""'],
  },
];

/** The highlighted lines of the code. An unknown language is left unstyled. */
export function highlight(code: string, name: string | undefined, paint: Paint): string[] {
  const wanted =
    name
      ?.trim()
      .split(/[\s,{:]/, 1)[0]
      ?.toLowerCase() ?? '';
  if (wanted === 'diff' || wanted === 'patch') return code.split('\n').map((line) => paintedDiffLine(line, paint));
  const language = languages.find(({ names }) => names.split(' ').includes(wanted));
  if (!language || code.length > MAX_CODE_CHARS) return code.split('\n');
  const isKeyword = keywordTest(language);
  return code
    .replace(patternOf(language), (token, ...rest) => {
      // The groups in order: comment, string, number; otherwise it is a word.
      const [comment, string, number] = rest;
      if (comment !== undefined) return paintedLines(token, paint.comment);
      if (string !== undefined) return paintedLines(token, paint.string);
      if (number !== undefined) return paint.number(token);
      return isKeyword(token) ? paint.keyword(token) : token;
    })
    .split('\n');
}

/** A colour ends with its line: lines are drawn one by one. */
const paintedLines = (text: string, painted: (line: string) => string): string =>
  text.split('\n').map(painted).join('\n');

function paintedDiffLine(line: string, paint: Paint): string {
  if (line.startsWith('+')) return paint.added(line);
  if (line.startsWith('-')) return paint.removed(line);
  return line.startsWith('@@') ? paint.accent(line) : line;
}

function keywordTest({ keywords, anyCase }: Language): (word: string) => boolean {
  const known = new Set(keywords.split(' '));
  return (word) => known.has(anyCase ? word.toLowerCase() : word);
}

/**
 * Each part is linear: no nested quantifiers, so that no text takes long. An unclosed string or comment extends to the
 * end of the code.
 */
function patternOf({ line = [], block = [], quotes = '', long = [] }: Language): RegExp {
  const blocks = block.map(([open, close]) => `${escaped(open)}[^]*?(?:${escaped(close)}|${endOfInput})`);
  // `#` in the middle of a word (`$#`, `a#b`) starts no comment.
  const lines = line.map(
    (mark) => `${mark === '#' ? '(?<![\\w$&{])' : mark === '//' ? '(?<!:)' : ''}${escaped(mark)}[^\\n]*`,
  );
  const longs = long.map(
    (mark) => `${escaped(mark)}(?:\\\\[^]|(?!${escaped(mark)})[^\\\\])*(?:${escaped(mark)}|\\\\?${endOfInput})`,
  );
  // An apostrophe in the middle of a word (`don't`) starts no string; after one letter (`f'…'`) it may.
  const strings = [...quotes].map((quote) => `(?<!\\w\\w)${quote}(?:\\\\.|[^${quote}\\\\\\n])*(?:${quote}|\\\\?$)`);
  const groups = [
    `(${[...blocks, ...lines].join('|') || '(?!)'})`,
    `(${[...longs, ...strings].join('|') || '(?!)'})`,
    '((?<![\\w$])(?:0[xXbBoO][\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d[\\d_]*)?(?:[eE][+-]?\\d+)?)\\w{0,3}\\b)',
    '[A-Za-z_$][\\w$]*\\??',
  ];
  return new RegExp(groups.join('|'), 'gm');
}

const endOfInput = '(?![^])';

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
