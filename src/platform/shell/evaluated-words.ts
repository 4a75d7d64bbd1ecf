// Handles everything that the shell evaluates while it expands words and tests: substitutions run commands, and
// arithmetic, subscripts and some expansions evaluate the value of a variable. Only plain numbers and plain names are
// let through.
import type { ArithmeticExpression, ParsedScript, SyntaxNode, TestExpression, Word } from 'unbash';
import { isPlainVariable } from './assignments.js';
import type { Findings } from './findings.js';
import type { Parser } from './parse-command.js';
import type { ShellField } from './programs/program.js';
import type { State } from './shell-state.js';

export interface EvaluatedWordsPort {
  found: Findings;
  parser: Parser;
  /** Variables that hold only numbers wherever the command sets them. */
  numbers(): ReadonlySet<string>;
  /** Walks a substitution; `descriptor` is the one of its pipe. */
  substitution(script: ParsedScript, descriptor: 0 | 1, state: State): void;
  /** The value of a word that stays one word; walks its content first. */
  value(word: Word, state: State): ShellField;
}

export class EvaluatedWords {
  readonly #port: EvaluatedWordsPort;

  constructor(port: EvaluatedWordsPort) {
    this.#port = port;
  }

  /** Walks the expansions in a word: their commands run, and some evaluate the value of a variable. */
  inside(node: SyntaxNode, state: State): void {
    const { found, parser } = this.#port;
    if (!found.step()) return;
    switch (node.type) {
      case 'CommandExpansion':
      case 'ArithmeticCommandExpansion':
        if (node.script) this.#port.substitution(node.script, 1, state);
        return;
      case 'ProcessSubstitution':
        if (node.script) this.#port.substitution(node.script, node.operator === '<' ? 1 : 0, state);
        return;
      case 'ArithmeticExpansion':
        this.arithmetic(node.expression, state);
        return;
      case 'ParameterExpansion': {
        const { prefix, index, operation, text } = node;
        if (prefix === '!' && operation?.type !== 'Names')
          found.isUnknown(`${text} evaluates what another variable holds`);
        if (index && !/^(@|\*|\d+)$/.test(index.text)) found.isUnknown(`the subscript in ${text} is evaluated`);
        if (operation?.type === 'Default' && /=$/.test(operation.operator)) this.sets(node.parameter);
        if (operation?.type === 'Slice') {
          const isPlain = [operation.offset, operation.length].every((word) => /^-?\d*$/.test(word?.text.trim() ?? ''));
          if (!isPlain) found.isUnknown(`the numbers in ${text} are evaluated`);
        }
        break;
      }
    }
    parser.forEachChild(node, (child) => this.inside(child, state));
  }

  /**
   * Values set by `${x:=y}`, `$((x = 1))` and `{x}>` are not tracked, so the variable must not be one that programs
   * read.
   */
  sets(name: string): void {
    if (!isPlainVariable(name)) {
      this.#port.found.isUnknown(`it sets ${name}, which may change what runs or what it touches`);
    }
  }

  /** Arithmetic evaluates the values of variables, which may run commands: only numbers are let through. */
  arithmetic(expression: ArithmeticExpression | undefined, state: State): void {
    const { found, parser } = this.#port;
    if (expression === undefined || !found.step()) return;
    if (expression.type === 'ArithmeticWord' && !this.#isNumber(expression.value)) {
      found.isUnknown(`the arithmetic with ${expression.value.trim()} evaluates what it holds`);
    }
    const target = assignedBy(expression);
    if (target?.type === 'ArithmeticWord') this.sets(target.value.trim());
    if (expression.type === 'ArithmeticCommandExpansion')
      found.isUnknown(`the arithmetic with ${expression.text} evaluates what it prints`);
    parser.forEachChild(expression, (child) => {
      if (isArithmetic(child)) this.arithmetic(child, state);
      else this.inside(child, state);
    });
  }

  #isNumber(value: string): boolean {
    if (/^\d/.test(value.trim()) && /^(\d+#)?[0-9a-zA-Z]*$/.test(value.trim())) return true;
    const name = /^\s*\$?\{?([A-Za-z_]\w*)\}?\s*$/.exec(value)?.[1];
    return (name !== undefined && this.#port.numbers().has(name)) || /^\s*\$[#?$]\s*$/.test(value);
  }

  test(expression: TestExpression, state: State): void {
    const { found } = this.#port;
    if (!found.step()) return;
    switch (expression.type) {
      case 'TestUnary': {
        const { operator, operand } = expression;
        const field = this.#port.value(operand, state);
        if (/^-[vR]$/.test(operator) && !/^[A-Za-z_]\w*$/.test(operand.text))
          found.isUnknown(`the test ${operator} evaluates the subscript of ${operand.text}`);
        const isKnown = field.value !== undefined || field.pathSpecs !== undefined;
        if (/^-[a-hkprsuwxLNOGS]$/.test(operator) && isKnown) {
          found.file({ access: 'read', file: field, listing: true }, state, undefined);
        }
        if (operator === '-w') found.observesMachine = true;
        return;
      }
      case 'TestBinary': {
        const { operator, left, right } = expression;
        const fields = [left, right].map((word) => this.#port.value(word, state));
        if (/^-(eq|ne|lt|le|gt|ge)$/.test(operator)) {
          for (const word of [left, right]) {
            const name = /^\$?"?\$?\{?([A-Za-z_]\w*)\}?"?$/.exec(word.text)?.[1];
            const isNumber = /^-?\d+$/.test(word.text) || /^"?\$[#?$]"?$/.test(word.text);
            if (!isNumber && !(name !== undefined && this.#port.numbers().has(name))) {
              found.isUnknown(`the test ${operator} evaluates what ${word.text} holds`);
            }
          }
        }
        if (/^-(nt|ot|ef)$/.test(operator)) {
          for (const file of fields) found.file({ access: 'read', file, listing: true }, state, undefined);
        }
        return;
      }
      case 'TestLogical':
        for (const operand of expression.operands) this.test(operand, state);
        return;
      case 'TestNot':
        this.test(expression.operand, state);
        return;
      case 'TestGroup':
        this.test(expression.expression, state);
        return;
    }
  }
}

function isArithmetic(node: SyntaxNode): node is ArithmeticExpression {
  return (
    node.type === 'ArithmeticBinary' ||
    node.type === 'ArithmeticUnary' ||
    node.type === 'ArithmeticTernary' ||
    node.type === 'ArithmeticGroup' ||
    node.type === 'ArithmeticWord' ||
    node.type === 'ArithmeticCommandExpansion'
  );
}

/** The target of an arithmetic assignment. */
function assignedBy(expression: ArithmeticExpression): ArithmeticExpression | undefined {
  if (expression.type === 'ArithmeticUnary')
    return /^(\+\+|--)$/.test(expression.operator) ? expression.operand : undefined;
  const isAssignment = expression.type === 'ArithmeticBinary' && /^([-+*/%&|^]|<<|>>)?=$/.test(expression.operator);
  return isAssignment ? expression.left : undefined;
}
