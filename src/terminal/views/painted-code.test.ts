import { stripTerminalSequences } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Paint, Theme } from '../screen/theme.js';
import { highlight } from './painted-code.js';

/** A paint that writes the names of roles. */
const marking = new Proxy({} as Paint, { get: (_, role) => (text: string) => `<${String(role)[0]}:${text}>` });
const marked = (code: string, language: string): string => highlight(code, language, marking).join('\n');

const rows: ReadonlyArray<[language: string, code: string, marked: string]> = [
  ['ts', 'const a = "x\\"y"; // why', '<k:const> a = <s:"x\\"y">; <c:// why>'],
  ['typescript', 'let n = 0xff + 1_000.5e3 + a1', '<k:let> n = <n:0xff> + <n:1_000.5e3> + a1'],
  ['js', '`a\nb`', '<s:`a>\n<s:b`>'],
  ['js', '/* one\ntwo */ x', '<c:/* one>\n<c:two */> x'],
  ['js', 'fetch(a) // http://b', '<f:fetch>(a) <c:// http://b>'],
  ['python', 'def f(): return None # x', '<k:def> <f:f>(): <k:return> <k:None> <c:# x>'],
  ['py', '"""long\ntext"""', '<s:"""long>\n<s:text""">'],
  [
    'bash',
    'if [ $# -gt 0 ]; then echo "a"; fi # c',
    '<k:if> [ <t:$#> -gt <n:0> ]; <k:then> echo <s:"a">; <k:fi> <c:# c>',
  ],
  ['json', '{"a": [1, true]}', '{<t:"a">: [<n:1>, <k:true>]}'],
  ['sql', 'SELECT * FROM t -- all', '<k:SELECT> * <k:FROM> t <c:-- all>'],
  ['html', '<a href="x"><!-- c -->', '<f:<a> <t:href>=<s:"x"><f:>><c:<!-- c -->>'],
  ['rust title="x.rs"', 'fn main() {}', '<k:fn> <f:main>() {}'],
  ['diff', '+new\n-old\n same', '<a:+new>\n<r:-old>\n same'],
  ['bash', 'node --test --test-reporter=spec', '<f:node> --test --test-reporter=spec'],
  ['sh', 'cat a.txt | grep -n "$HOME" && ls', '<f:cat> a.txt | <f:grep> -n <s:"$HOME"> && <f:ls>'],
  ['yaml', 'on:\n  push: true # x\nname: a', '<t:on>:\n<t:  push>: <k:true> <c:# x>\n<t:name>: a'],
  ['toml', '[tool.x]\nname = "a"', '<f:[tool.x]>\n<t:name> = <s:"a">'],
  ['css', '.a { color: red; }', '<f:.a> { <t:color>: red; }'],
  ['go', 'func main() { var x Reader }', '<k:func> <f:main>() { <k:var> x <t:Reader> }'],
  ['c', '#include <a.h>\nint main(void)', '<f:#include> <a.h>\n<k:int> <f:main>(<k:void>)'],
  ['java', '@Override public String a() {}', '<f:@Override> <k:public> <t:String> <f:a>() {}'],
  ['md', '# Title\n- `a` **b**', '<f:# Title>\n<t:-> <t:`a`> <t:**b**>'],
  ['unheard-of', 'if (1) "x"', 'if (1) "x"'],
];

test.each(rows)('marks %s: %s', (language, code, expected) => {
  expect(marked(code, language)).toBe(expected);
});

test('never changes a character, for any code', () => {
  const { paint } = new Theme({ name: 'dark', depth: 'many' });
  const piece = fc.constantFrom(
    '"',
    "'",
    '`',
    '"""',
    '/*',
    '*/',
    '//',
    '#',
    '\\',
    '\n',
    'if',
    ' ',
    '1.5',
    'é',
    '<!--',
    '--',
  );
  const language = fc.constantFrom('ts', 'py', 'sh', 'sql', 'html', 'go', 'yaml');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), language, (pieces, name) => {
      const code = pieces.join('');
      expect(stripTerminalSequences(highlight(code, name, paint).join('\n'))).toBe(code);
    }),
  );
});

test('finishes on long code with an open string or comment', () => {
  const code = `"${'\\'.repeat(50_001)}`;
  expect(marked(code, 'ts').length).toBeGreaterThan(code.length);
});
