// What the highlighter knows of each language: one row each, for the ones that appear in conversations.

export interface CodeLanguage {
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
  /** Whether a capitalised word is a type. */
  types?: boolean;
  /** Whether a word before a parenthesis is a function. */
  calls?: boolean;
  /** Whether words may contain hyphens. */
  hyphens?: boolean;
  /** Expressions for keys of data, properties, attributes and variables. */
  keys?: readonly string[];
  /** Expressions for tags, decorators, directives and command names. */
  marks?: readonly string[];
}

const slashes = { line: ['//'], block: [['/*', '*/']] } as const;
const code = { types: true, calls: true } as const;
const cLike = 'if else for while do switch case default break continue return';

export const languages: readonly CodeLanguage[] = [
  {
    names: 'ts typescript js javascript jsx tsx mjs cjs mts cts',
    keywords: `${cLike} abstract as async await catch class const constructor debugger declare delete enum export extends false finally from function get implements import in infer instanceof interface is keyof let namespace new null of override private protected public readonly satisfies set static super this throw true try type typeof undefined using var void yield`,
    ...slashes,
    ...code,
    quotes: '"\'',
    long: ['`'],
    marks: ['(?<![\\w$])@[A-Za-z_]\\w*'],
  },
  {
    names: 'py python python3',
    keywords:
      'and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield',
    ...code,
    line: ['#'],
    quotes: '"\'',
    long: ['"""', "'''"],
    marks: ['^[ \\t]*@[\\w.]+'],
  },
  {
    names: 'sh bash zsh shell console shellscript fish',
    keywords:
      'if then else elif fi for while until do done case esac in function return local export readonly declare set unset exit source trap shift break continue eval exec',
    line: ['#'],
    quotes: '"\'',
    hyphens: true,
    keys: ['\\$(?:\\{[^}\\n]*\\}|\\w+|[@*#?!$-])'],
    marks: [
      '(?<=(?:^|[|;&(`])(?:[ \\t]{0,20}|\\$ ))(?!(?:if|then|else|elif|fi|for|while|until|do|done|case|esac)\\b)[A-Za-z_./][\\w./+-]*(?![\\w=])',
    ],
  },
  {
    names: 'json jsonc json5',
    keywords: 'true false null',
    ...slashes,
    quotes: '"',
    keys: ['"(?:\\\\.|[^"\\\\\\n])*"(?=[ \\t]{0,20}:)'],
  },
  {
    names: 'yaml yml',
    keywords: 'true false null yes no on off',
    line: ['#'],
    quotes: '"\'',
    hyphens: true,
    keys: ['^[ \\t]*(?:- )*[\\w.$/@-]+(?=:(?:[ \\t]|$))'],
  },
  {
    names: 'toml ini conf properties env dotenv',
    keywords: 'true false',
    line: ['#', ';'],
    quotes: '"\'',
    hyphens: true,
    keys: ['^[ \\t]*[\\w."-]+(?=[ \\t]{0,20}=)'],
    marks: ['^[ \\t]*\\[[^\\n]*\\]'],
  },
  {
    names: 'rs rust',
    keywords: `${cLike} as async await const crate dyn enum extern false fn impl in let loop match mod move mut pub ref self Self static struct super trait true type unsafe use where`,
    ...slashes,
    ...code,
    quotes: '"',
    marks: ['#!?\\[[^\\]\\n]*\\]', '\\b[a-z_]\\w*!(?=[([{])'],
  },
  {
    names: 'go golang',
    keywords: `${cLike} any chan const defer error fallthrough false func go goto import interface iota map nil package range select string struct true type var int bool byte`,
    ...slashes,
    ...code,
    quotes: '"\'',
    long: ['`'],
  },
  {
    names: 'c h cpp c++ cc hpp objc arduino',
    keywords: `${cLike} auto bool catch char class const constexpr delete double enum explicit extern false float friend goto inline int long namespace new noexcept nullptr operator override private protected public register short signed sizeof static struct template this throw true try typedef typename union unsigned using virtual void volatile`,
    ...slashes,
    ...code,
    quotes: '"\'',
    marks: ['^[ \\t]*#[ \\t]*\\w+'],
  },
  {
    names: 'java kt kotlin cs csharp scala groovy dart',
    keywords: `${cLike} abstract as async await base boolean byte catch char class const data def double enum extends false final finally float fun get goto implements import in instanceof int interface internal is lateinit lazy long match namespace new null object open operator override package private protected public readonly record sealed set static string struct super suspend synchronized this throw throws trait true try typeof using val var virtual void volatile when with yield`,
    ...slashes,
    ...code,
    quotes: '"\'',
    long: ['"""'],
    marks: ['(?<!\\w)@[A-Za-z_]\\w*'],
  },
  {
    names: 'swift',
    keywords: `${cLike} actor as async await catch class deinit enum extension false fileprivate func guard import in init inout internal is let nil open operator override private protocol public repeat self Self static struct subscript super throw throws true try typealias var where`,
    ...slashes,
    ...code,
    quotes: '"',
    long: ['"""'],
  },
  {
    names: 'rb ruby',
    keywords:
      'alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true undef unless until when while yield attr_accessor attr_reader',
    ...code,
    line: ['#'],
    quotes: '"\'',
    keys: ['(?<![:\\w]):[A-Za-z_]\\w*', '@[A-Za-z_]\\w*'],
  },
  {
    names: 'php',
    keywords: `${cLike} abstract and array as catch class clone const declare echo elseif empty enum extends false final finally fn foreach function global goto implements include instanceof interface isset match namespace new null or print private protected public readonly require static this throw trait true try unset use var yield`,
    ...code,
    line: ['//', '#'],
    block: [['/*', '*/']],
    quotes: '"\'',
    keys: ['\\$[A-Za-z_]\\w*'],
  },
  {
    names: 'sql postgres postgresql mysql sqlite',
    keywords:
      'add all alter and as asc begin between by case check column commit constraint create cross database default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references replace returning right rollback select set table then transaction union unique update using values view when where with',
    line: ['--'],
    block: [['/*', '*/']],
    quotes: '\'"',
    anyCase: true,
    calls: true,
  },
  {
    names: 'html xml svg vue svelte',
    keywords: '',
    block: [['<!--', '-->']],
    quotes: '"\'',
    keys: ['[\\w:@.-]+(?==["\'{])'],
    marks: ['</?[A-Za-z][\\w:.-]*', '/?>', '<![A-Za-z]+'],
  },
  {
    names: 'css scss less',
    keywords: '',
    block: [['/*', '*/']],
    quotes: '"\'',
    hyphens: true,
    calls: true,
    keys: ['(?<=[{;\\n][ \\t\\n]{0,40})[\\w-]+(?=[ \\t]{0,5}:)', '--[\\w-]+'],
    marks: ['[.#][A-Za-z_][\\w-]*(?=[^;{}\\n]*[,{])', '@[\\w-]+', '!important'],
  },
  {
    names: 'md markdown',
    keywords: '',
    keys: ['`[^`\\n]+`', '^[ \\t]*(?:[-*+]|\\d+[.)])(?= )', '\\*\\*[^*\\n]+\\*\\*'],
    marks: ['^#{1,6} [^\\n]*', '^>[^\\n]*'],
  },
  {
    names: 'lua',
    keywords:
      'and break do else elseif end false for function goto if in local nil not or repeat return then true until while',
    line: ['--'],
    quotes: '"\'',
    calls: true,
  },
  {
    names: 'dockerfile docker',
    keywords: 'FROM RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD HEALTHCHECK SHELL AS',
    line: ['#'],
    quotes: '"\'',
    keys: ['\\$(?:\\{[^}\\n]*\\}|\\w+)'],
  },
  {
    names: 'make makefile mk',
    keywords: 'ifeq ifneq ifdef ifndef else endif include define endef export',
    line: ['#'],
    quotes: '"\'',
    keys: ['\\$[({][^)}\\n]*[)}]'],
    marks: ['^[\\w./%-]+(?=[^\\n=]{0,200}:(?!=))'],
  },
  {
    names: 'hcl terraform tf nix',
    keywords:
      'resource variable output module provider data locals for in if then else let with rec inherit true false null',
    line: ['#', '//'],
    block: [['/*', '*/']],
    quotes: '"',
    calls: true,
    keys: ['^[ \\t]*[\\w-]+(?=[ \\t]{0,40}=)'],
  },
  {
    names: 'ex elixir exs erl',
    keywords:
      'after alias and case catch cond def defmodule defp defstruct do else end false fn for if import in nil not or quote raise receive require rescue true try unless use when with',
    ...code,
    line: ['#'],
    quotes: '"\'',
    long: ['"""'],
  },
];
