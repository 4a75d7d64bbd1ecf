import { globSync, readFileSync } from 'node:fs';
import { type Expression, parseSync, type StringLiteral, type TemplateLiteral, Visitor } from 'oxc-parser';

export interface SourcePattern {
  file: string;
  pattern: RegExp;
}

/**
 * The regular expressions in `src`, tests apart: literals, and those that `new RegExp` makes of constants of the same
 * file. What is put together when the program runs is not here.
 */
export function patternsOfSource(): SourcePattern[] {
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  return files
    .toSorted()
    .flatMap((file) => patternsOf(readFileSync(file, 'utf8')).map((pattern) => ({ file, pattern })));
}

/** The same for the text of one file. */
export function patternsOf(text: string): RegExp[] {
  const constants = new Map<string, Expression>();
  const found: RegExp[] = [];
  const { program } = parseSync('source.ts', text);
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init) constants.set(id.name, init);
    },
  }).visit(program);
  new Visitor({
    Literal(node) {
      if ('regex' in node) found.push(new RegExp(node.regex.pattern, node.regex.flags));
    },
    NewExpression({ callee, arguments: [source, flags] }) {
      if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return;
      const written = textOf(source, constants);
      if (written !== undefined) found.push(new RegExp(written, textOf(flags, constants) ?? ''));
    },
  }).visit(program);
  return found;
}

type Node = Expression | TemplateLiteral | StringLiteral | { type: string } | undefined;

/** The text of an expression of literals and constants. */
function textOf(node: Node, constants: ReadonlyMap<string, Expression>): string | undefined {
  if (node === undefined) return undefined;
  if (node.type === 'Literal' && 'value' in node) return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'Identifier' && 'name' in node) return textOf(constants.get(String(node.name)), constants);
  if (node.type === 'TaggedTemplateExpression' && 'quasi' in node) return templateText(node.quasi, 'raw', constants);
  if (node.type === 'TemplateLiteral' && 'quasis' in node) return templateText(node, 'cooked', constants);
  return undefined;
}

function templateText(
  { quasis, expressions }: TemplateLiteral,
  form: 'raw' | 'cooked',
  constants: ReadonlyMap<string, Expression>,
): string | undefined {
  const values = expressions.map((expression) => textOf(expression, constants));
  if (values.includes(undefined)) return undefined;
  return quasis.map(({ value }, index) => `${value[form]}${values[index] ?? ''}`).join('');
}
