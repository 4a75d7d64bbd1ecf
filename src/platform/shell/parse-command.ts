// Parses a command, and collects reasons not to trust the tree. The parser repairs errors and continues; a repaired
// tree is still walked, so that deny rules see its content, but it counts as not understood.
import type { ParsedScript, SyntaxNode } from 'unbash';

const MAX_COMMAND_CHARS = 10_000; // a person does not read more than this before approving
const MAX_PARSED_CHARS = 200_000; // beyond it not even deny rules look inside: the effect is `unknown`
// The parser searches for the end of each brace and substitution, up to the end of the text.
const MAX_STEPS_TO_ENDS = 300_000_000;
const MAX_DEPTH = 60; // nested groups and substitutions, well above what people write

export interface ParsedCommand {
  tree: ParsedScript | undefined;
  /** Why the tree can't be trusted, each in a few words. */
  problems: string[];
}

/** The parts of the parser that are used; it is loaded with the first command. */
export type Parser = Pick<typeof import('unbash'), 'parse' | 'forEachChild'>;

export const loadParser = (): Promise<Parser> => import('unbash');

/** The shell that will run the text: others parse some constructs differently, or not at all. */
export type Dialect = 'bash' | 'posix' | 'other';

export function parseCommand(text: string, dialect: Dialect, { parse, forEachChild }: Parser): ParsedCommand {
  const problems = textProblems(text);
  if (text.length > MAX_PARSED_CHARS) return { tree: undefined, problems };
  if ((text.split(/\{|\$\(/).length - 1) * text.length > MAX_STEPS_TO_ENDS) {
    return { tree: undefined, problems: [...problems, 'it has too many braces or substitutions to be understood'] };
  }
  const tree = parse(text);
  const found = new Set<string>();
  const visit = (node: SyntaxNode, depth: number): void => {
    if (depth > MAX_DEPTH * 8) {
      found.add('it is nested too deeply to be understood');
      return;
    }
    const problem = nodeProblem(node) ?? dialectProblem(node, dialect);
    if (problem !== undefined) found.add(problem);
    forEachChild(node, (child) => visit(child, depth + 1));
  };
  visit(tree, 0);
  return { tree, problems: [...problems, ...found] };
}

function textProblems(text: string): string[] {
  const problems: string[] = [];
  if (text.length > MAX_COMMAND_CHARS) {
    problems.push(`it is longer than ${MAX_COMMAND_CHARS} characters, too long to be looked at`);
  }
  // A command needs no control characters but tab and newline; others hide what it does.
  const control = /(?![\t\n])\p{Cc}/u.exec(text);
  if (control) problems.push(`it contains the control character ${codePoint(control[0])}`);
  const invisible = /[\p{Cf}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u3164\uffa0]/u.exec(
    text,
  );
  if (invisible) problems.push(`it contains the invisible or misleading character ${codePoint(invisible[0])}`);
  if (/\p{Cs}/u.test(text)) problems.push('it contains half of a character');
  return problems;
}

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

function nodeProblem(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'Script':
      return 'errors' in node && node.errors?.[0] ? `it can't be parsed: ${node.errors[0].message}` : undefined;
    case 'ExtendedGlob':
      return `the pattern ${node.text} means different things in different shells`;
    case 'Unknown':
      return 'it has an expansion that is not understood';
    case 'Transform':
      return 'it has an expansion with @, which may run what a variable holds';
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      if (node.script === undefined) return `${node.text} can't be parsed`;
      return hasComment(node.text) ? 'a comment within a substitution may hide where that ends' : undefined;
    case 'ArithmeticExpansion':
      return node.expression === undefined && !/^\$(\(\(\s*\)\)|\[\s*\])$/.test(node.text)
        ? `the arithmetic ${node.text} can't be parsed`
        : undefined;
    case 'ArithmeticCommand':
      return node.expression === undefined ? "its arithmetic can't be parsed" : undefined;
    case 'HereDoc':
      return node.closing === undefined ? 'a here-document has no end' : undefined;
    case 'Redirect':
    case 'HereString':
      return node.target === undefined ? 'a redirection has no target' : undefined;
    case 'Coproc':
      return 'it starts a coprocess';
    case 'Word':
      // Zsh expands it to the path of the program after the sign.
      return /^=[A-Za-z_.]/.test(node.text)
        ? `the word ${node.text} means different things in different shells`
        : undefined;
    default:
      return undefined;
  }
}

/** Whether the text has a comment outside of quotes. An unclosed double quote is ordinary text. */
const hasComment = (text: string): boolean => {
  const bare = text.replace(/'[^']*'|"(?:[^"\\]|\\[\s\S])*("|\\?$)/g, (quoted, end = '"') =>
    end === '"' ? "''" : `"${quoted.slice(1).replace(/'[^']*'/g, "''")}`,
  );
  return /(?:^|[\s;&|(])#/.test(bare);
};

const notPosix: ReadonlySet<SyntaxNode['type']> = new Set([
  'TestCommand',
  'ArithmeticCommand',
  'ArithmeticFor',
  'Select',
  'Time',
  'ProcessSubstitution',
  'HereString',
  'AnsiCQuoted',
  'LocaleString',
  'BraceExpansion',
  'ArrayValue',
  'FileDescriptorVariable',
  'Replace',
  'Slice',
  'CaseModification',
  'Names',
]);

function dialectProblem(node: SyntaxNode, dialect: Dialect): string | undefined {
  if (dialect === 'bash') return undefined;
  if (dialect === 'other') return 'a shell other than bash runs it';
  const differs =
    notPosix.has(node.type) ||
    (node.type === 'Redirect' &&
      ['&>', '&>>', '>&', '<&'].includes(node.operator) &&
      !/^(\d|-)$/.test(node.target?.text ?? '')) ||
    (node.type === 'Pipeline' && node.operators.includes('|&')) ||
    (node.type === 'Assignment' && (node.append === true || node.index !== undefined));
  return differs ? 'sh may read it in another way than bash' : undefined;
}
