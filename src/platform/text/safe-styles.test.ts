import fc from 'fast-check';
import { expect, test } from 'vitest';
import { styledLines } from './safe-styles.js';

const styled = (text: string): string[] => styledLines(text, { colors: true });

const rows: ReadonlyArray<[what: string, text: string, lines: string[]]> = [
  ['keeps colours', '\x1b[31mred\x1b[39m plain', ['\x1b[31mred\x1b[0m plain']],
  [
    'keeps 256 colours and true colour',
    '\x1b[38;5;200ma\x1b[48;2;1;2;3mb\x1b[0m',
    ['\x1b[38;5;200ma\x1b[0m\x1b[38;5;200;48;2;1;2;3mb\x1b[0m'],
  ],
  [
    'repeats a colour on each line that it covers',
    '\x1b[1;32mone\ntwo\x1b[m three',
    ['\x1b[1;32mone\x1b[0m', '\x1b[1;32mtwo\x1b[0m three'],
  ],
  ['shows hidden and blinking text as plain text', '\x1b[8mhidden\x1b[5mblink\x1b[28m', ['hiddenblink']],
  [
    'shows text that has the colour of its background, without the background',
    '\x1b[30;40ma\x1b[0m\x1b[38;5;9;48;5;9mb\x1b[0m',
    ['\x1b[30ma\x1b[0m\x1b[38;5;9mb\x1b[0m'],
  ],
  ['removes sequences that move the cursor or clear the screen', 'a\x1b[2J\x1b[10;10Hb\x1b[?1049h\x1bc', ['ab']],
  [
    'removes sequences that set the title, a link or the clipboard',
    '\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b]52;c;aGk=\x07',
    ['ab'],
  ],
  ['shows the last state of an overwritten line', ' 10%\r 50%\r100%\r\ndone', ['100%', 'done']],
  ['shows overstruck letters once', 'N\bNA\bAME', ['NAME']],
  ['removes a truncated sequence', 'a\x1b[31', ['a']],
  ['escapes other control characters', 'a\x1b\x00b', ['a\\u001b\\u0000b']],
  ['escapes hidden characters', 'a\u200bb\u202ec', ['a\\u{200b}b\\u202ec']],
  ['ignores an invalid colour', '\x1b[38;5;999mx\x1b[38;9;1my', ['xy']],
];

test.each(rows)('%s', (_, text, lines) => {
  expect(styled(text)).toEqual(lines);
});

test('removes all colours if colours are off', () => {
  expect(styledLines('\x1b[31mred\x1b[0m\x1b[2J', { colors: false })).toEqual(['red']);
});

test('keeps only colours, for any input', () => {
  const piece = fc.constantFrom(
    '\x1b',
    '[',
    ']',
    '31',
    ';',
    'm',
    'J',
    '\x07',
    '\x9b',
    '\r',
    '\b',
    'a',
    '\n',
    '?',
    'P',
    '\\',
    '8',
    '0',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      for (const line of styled(pieces.join(''))) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
        expect(line.replaceAll(/\x1b\[[\d;]+m/g, '')).not.toMatch(/[\x00-\x08\x0a-\x1f\x7f-\x9f]/);
      }
    }),
  );
});
