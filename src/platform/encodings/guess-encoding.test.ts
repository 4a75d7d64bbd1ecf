import { expect, test } from 'vitest';
import { guessEncodings } from './guess-encoding.js';
import { encodeLegacy, type LegacyEncoding } from './legacy-encodings.js';

const samples: ReadonlyArray<[LegacyEncoding, string]> = [
  ['windows-1252', 'ok\ncafé\n'],
  ['windows-1252', '// Größe der Straße\nint x = 5;\n'],
  ['windows-1252', '“quoted” don’t – ok…\n'],
  ['windows-1252', 'Temperature 5 °C © 2020 £5\n'],
  ['windows-1252', 'año niño ¿qué?\n'],
  ['windows-1252', 'MÜLLER, GRÖSSE, ÉCOLE\n'],
  ['windows-1252', 'é'],
  ['windows-1250', 'Zażółć gęślą jaźń\n'],
  ['windows-1250', 'Příliš žluťoučký kůň úpěl ďábelské ódy\n'],
  ['iso-8859-2', 'Zażółć gęślą jaźń\n'],
  ['windows-1251', '// Привет, мир\n'],
  ['windows-1251', '// комментарий\nint x;\n'],
  ['koi8-r', '// Привет, мир\n'],
  ['koi8-r', '// комментарий\nint x;\n'],
  ['iso-8859-5', 'Съешь ещё этих мягких французских булок\n'],
  ['cp866', 'Съешь ещё этих мягких французских булок\n'],
  ['cp437', '// Größe, über\nint x = 5;\n'],
  ['cp850', 'São Paulo, coração\n'],
  ['cp437', '╔════╗\n║ hi ║\n╚════╝\n'],
  ['windows-1253', 'Γειά σου Κόσμε, αυτό είναι ένα κείμενο\n'],
  ['windows-1254', 'Şişli İstanbul çağrı ığdır güneş\n'],
  ['windows-1255', 'שלום עולם זה טקסט\n'],
  ['windows-1256', 'مرحبا بالعالم هذا نص\n'],
  ['shift_jis', '// コメント\nint x;\n'],
  ['shift_jis', '日本語のテキストです。\nこれはテスト\n'],
  ['euc-jp', '日本語のテキストです。\nこれはテスト\n'],
  ['gbk', '// 注释：这是\n'],
  ['gbk', '中文文本文件测试\n这是一个例子\n'],
  ['big5', '中文文本檔案測試\n這是一個例子\n'],
  ['big5', 'const message = "我們在這個專案裡使用的是";\n'],
  ['euc-kr', '한국어 텍스트 파일\n이것은 시험입니다\n'],
];

test.each(samples)('recognises %s: %j', (encoding, text) => {
  expect(guessEncodings(encodeLegacy(text, encoding))[0]?.encoding).toBe(encoding);
});

test('is certain about many multi-byte characters, and never about single bytes', () => {
  const japanese = encodeLegacy('日本語のテキストです。これはテスト', 'shift_jis');
  expect(guessEncodings(japanese)[0]).toEqual({ encoding: 'shift_jis', sure: true });
  const german = encodeLegacy('Größe der Straße für Öl\n'.repeat(100), 'windows-1252');
  expect(guessEncodings(german)[0]).toEqual({ encoding: 'windows-1252', sure: false });
});

test.each([
  ['bytes with NULs', Buffer.from('caf\xe9\0', 'latin1')],
  ['bytes with many controls', Buffer.from('\x01\x02\x03\xe9\x04', 'latin1')],
  [
    'UTF-8 with a byte that is wrong',
    Buffer.concat([Buffer.from('größe \n'), Buffer.from([0xff]), Buffer.from(' für')]),
  ],
  ['noise', Buffer.from(Array.from({ length: 128 }, (_, index) => 128 + ((index * 37) % 128)))],
])('makes no guess for %s', (_, bytes) => {
  expect(guessEncodings(bytes)).toEqual([]);
});

test('finds letters that occur late in a large file', () => {
  const bytes = Buffer.concat([
    Buffer.alloc(300_000, 'plain text\n'),
    encodeLegacy('über die Straße\n', 'windows-1252'),
  ]);
  expect(guessEncodings(bytes)[0]?.encoding).toBe('windows-1252');
});
