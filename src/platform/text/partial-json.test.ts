import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { PartialJson } from './partial-json.js';

const RUNS = process.env['HELVE_SOAK'] ? 20_000 : 400;
if (process.env['HELVE_SOAK']) vi.setConfig({ testTimeout: 600_000 });

const read = (...pieces: string[]): PartialJson => {
  const json = new PartialJson();
  for (const piece of pieces) json.push(piece);
  return json;
};

const problemOf = (text: string) => {
  const result = read(text).finish();
  return result.ok ? undefined : result.error;
};

test.each([
  ['', undefined],
  ['  ', undefined],
  ['{', {}],
  ['{"na', {}],
  ['{"name"', {}],
  ['{"name":', {}],
  ['{"name":"', { name: '' }],
  ['{"name":"he', { name: 'he' }],
  ['{"name":"he"', { name: 'he' }],
  ['{"a":1,"b', { a: 1 }],
  ['{"a":1', {}],
  ['{"a":1,', { a: 1 }],
  ['{"a":1 ', { a: 1 }],
  ['{"a":tru', {}],
  ['{"a":true', { a: true }],
  ['{"a":null', { a: null }],
  ['[1,-2.5e3,3', [1, -2500]],
  ['[[],{},[["x', [[], {}, [['x']]]],
  ['"a\\', 'a'],
  ['"a\\n', 'a\n'],
  ['"a\\u00e', 'a'],
  ['"a\\u00e9', 'aé'],
  ['"a\ud83d', 'a'],
  ['"a\ud83d\ude00', 'a😀'],
  ['"a\\ud83d', 'a'],
  ['"a\\ud83d\\ude', 'a'],
  ['"a\\ud83d\\ude00', 'a😀'],
  ['"a\\ud83db', 'a\ud83db'],
  ['"a\\ud83d\ud83d', 'a'],
  ['12', undefined],
  ['12 ', 12],
  ['null', null],
  ['{"a":"x","a":"y', { a: 'y' }],
  ['{"a":"kept" oops', { a: 'kept' }],
])('returns the known part of %j', (text, known) => {
  expect(read(text).value).toStrictEqual(known);
  expect(read(...text).value).toStrictEqual(known);
});

test.each([
  ['', 0, 'unexpected end: expected a value'],
  ['{"a', 3, 'unexpected end inside a property name'],
  ['{"a"', 4, "unexpected end: expected ':' after a property name"],
  ['{"a":', 5, "unexpected end: expected a value after ':'"],
  ['{"a":"b', 7, 'unexpected end inside a string'],
  ['{"a":"b\\', 8, 'unexpected end inside an escape in a string'],
  ['{"a\\u00', 7, 'unexpected end inside an escape in a property name'],
  ['{"a":1', 6, 'unexpected end inside a number'],
  ['-', 1, 'unexpected end inside a number'],
  ['[tru', 4, 'unexpected end inside the word true'],
  ['[1,', 3, "unexpected end: expected a value after ','"],
  ['{"a":"b"', 8, "unexpected end: expected ',' or '}' after a property value"],
])('reports that %j is truncated, and inside what', (text, position, reason) => {
  expect(problemOf(text)).toMatchObject({ position, reason, truncated: true });
});

test.each([
  ['{"a": 1 x}', 8, "expected ',' or '}' after a property value, found 'x'"],
  ['{"a": 1, }', 9, "expected a property name in double quotes after ',', found '}'"],
  ["{'a': 1}", 1, `expected a property name in double quotes or '}', found "'"`],
  ['{"a" 1}', 5, "expected ':' after a property name, found '1'"],
  ['{"a":}', 5, "expected a value after ':', found '}'"],
  ['[1 2]', 3, "expected ',' or ']' after an array element, found '2'"],
  ['[1,]', 3, "expected a value after ',', found ']'"],
  ['[,', 1, "expected a value or ']', found ','"],
  ['None', 0, "expected a value, found 'N'"],
  ['😀', 0, "expected a value, found '😀'"],
  ['\ufeff{}', 0, 'expected a value, found U+FEFF'],
  ['{"a":1}{"b":2}', 7, "expected nothing more after the end of the value, found '{'"],
  ['"a\nb"', 2, 'control character U+000A in a string, which must be written as \\n'],
  ['"a\u0001b"', 2, 'control character U+0001 in a string, which must be written as \\u0001'],
  ['"a\u001fb"', 2, 'control character U+001F in a string, which must be written as \\u001F'],
  ['"a\\q"', 3, `bad escape: expected one of "\\/bfnrtu after \\, found 'q'`],
  ['"\\u12G4"', 5, "bad escape \\u12: expected four hexadecimal digits after \\u, found 'G'"],
  ['[01]', 2, 'a number with a leading zero'],
  ['[1.]', 3, "expected a digit in a number, found ']'"],
  ['[-a]', 2, "expected a digit in a number, found 'a'"],
  ['[1e+]', 4, "expected a digit in a number, found ']'"],
  ['[trie]', 3, "expected the word true, found 'i'"],
])('reports where and why %j is invalid, for any split', (text, position, reason) => {
  expect(problemOf(text)).toMatchObject({ position, reason, truncated: false });
  expect(read(...text.split('')).finish()).toStrictEqual(read(text).finish());
});

test('reports the line and the column, and the text around them in one line', () => {
  const text = `{\n  "first": "${'x'.repeat(60)}",\n  "second": 2 "third": 3,\n  "fourth": "${'y'.repeat(60)}"\n}`;
  expect(problemOf(text)).toEqual({
    position: text.indexOf('"third"'),
    line: 3,
    column: 15,
    reason: `expected ',' or '}' after a property value, found '"'`,
    excerpt: `…${'x'.repeat(23)}",␊  "second": 2 "third": 3,␊  "fourt…`,
    truncated: false,
  });
});

test('never splits a character in the text around the error', () => {
  const excerptAt = (before: string, after: string): string | undefined => problemOf(`["${before}" x${after}`)?.excerpt;
  for (let length = 0; length < 50; length += 1) {
    const excerpt = excerptAt('😀'.repeat(30).slice(length % 2) + '-'.repeat(length), `${'-'.repeat(length)}😀😀😀`);
    expect(excerpt?.replaceAll('😀', '')).toMatch(/^[^\p{Cs}]*$/u);
  }
});

test('reads "__proto__" as an ordinary property', () => {
  const json = read('{"__proto__":{"admin":true},"x":{"__proto__":"half');
  const shown = json.value;
  expect(Object.getPrototypeOf(shown)).toBe(Object.prototype);
  expect(isDeepStrictEqual(shown, JSON.parse('{"__proto__":{"admin":true},"x":{"__proto__":"half"}}'))).toBe(true);
  expect({}).not.toHaveProperty('admin');
});

test('does not change a value that was returned earlier', () => {
  const json = read('{"list":[1,{"a":"b');
  const before = json.value;
  json.push('c"},2],"more":true}');
  expect(before).toEqual({ list: [1, { a: 'b' }] });
  expect(json.value).toEqual({ list: [1, { a: 'bc' }, 2], more: true });
});

test('does not change a list that was returned earlier, also one that ended between two elements', () => {
  const json = read('[1,');
  const before = json.value;
  json.push('2]');
  expect(before).toEqual([1]);
});

test('continues after the result so far was requested', () => {
  const json = read('{"a":');
  expect(json.finish().ok).toBe(false);
  json.push('1}');
  expect(json.finish()).toEqual({ ok: true, value: { a: 1 } });
  expect(json.text).toBe('{"a":1}');
});

test('refuses text that nests deeper than 512 levels instead of overflowing the stack', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  expect(read(nested(512)).finish().ok).toBe(true);
  expect(problemOf(nested(513))).toMatchObject({ position: 512, reason: 'nested deeper than 512 levels' });
  expect(problemOf(nested(200_000))).toMatchObject({ position: 512, truncated: false });
  expect(read('{"a":'.repeat(200_000)).value).toBeDefined();
});

test('reads a 5 MB field that arrives 20 characters at a time', () => {
  const value = { file_path: 'a.txt', content: 'a line with "quotes" and a tab\t\n'.repeat(150_000) };
  const text = JSON.stringify(value);
  const json = new PartialJson();
  for (let at = 0; at < text.length; at += 20) json.push(text.slice(at, at + 20));
  expect(json.finish()).toEqual({ ok: true, value });
});

test('for every prefix of random texts, returns exactly the certain part of the final value', () => {
  check(jsonText(), (text) => {
    const final: unknown = JSON.parse(text);
    const json = new PartialJson();
    for (let length = 0; length <= text.length; length += 1) {
      if (length > 0) json.push(text.charAt(length - 1));
      const prefix = text.slice(0, length);
      const shown = json.value;
      if (!isSoFar(shown, final)) fail(`${shape(shown)} of ${prefix} is no part of ${shape(final)}`);
      if (!isDeepStrictEqual(shown, knownOf(prefix)))
        fail(`${shape(shown)} of ${prefix} is not ${shape(knownOf(prefix))}`);
      agreeWithJsonParse(json, prefix);
    }
    if (typeof final !== 'number' && !isDeepStrictEqual(json.value, final))
      fail(`${text} ends as ${shape(json.value)}`);
  });
});

test('reports every prefix of random texts as truncated at its end', () => {
  check(jsonText(), (text) => {
    for (let length = 0; length < text.length; length += 1) {
      const result = read(text.slice(0, length)).finish();
      if (!result.ok && !(result.error.truncated && result.error.position === length)) {
        fail(`${text.slice(0, length)}: ${JSON.stringify(result.error)}`);
      }
    }
  });
});

test('returns the same for random texts split at every byte, also within a character or an escape', () => {
  check(jsonText(), (text) => {
    const bytes = new TextEncoder().encode(text);
    const final: unknown = JSON.parse(text);

    const bytewise = new PartialJson();
    const decoder = new TextDecoder();
    for (const byte of bytes) {
      bytewise.push(decoder.decode(Uint8Array.of(byte), { stream: true }));
      if (!isSoFar(bytewise.value, final)) fail(`${shape(bytewise.value)} of ${bytewise.text}`);
    }
    if (!isDeepStrictEqual(bytewise.finish(), { ok: true, value: final })) fail(`byte by byte: ${text}`);

    for (let at = 0; at <= bytes.length; at += 1) {
      const halves = new TextDecoder();
      const json = read(halves.decode(bytes.subarray(0, at), { stream: true }), halves.decode(bytes.subarray(at)));
      if (!isDeepStrictEqual(json.finish(), { ok: true, value: final })) fail(`split at byte ${at}: ${text}`);
    }
  });
});

test('accepts exactly what JSON.parse accepts among damaged texts, for any split', () => {
  let refused = 0;
  check(fc.tuple(jsonText(), fc.array(damage(), { minLength: 1, maxLength: 3 })), ([text, damages]) => {
    const damaged = damages.reduce((broken, harm) => harm(broken), text);
    const whole = read(damaged);
    agreeWithJsonParse(whole, damaged);
    const split = read(...damaged.split(''));
    if (!isDeepStrictEqual(split.finish(), whole.finish())) fail(`split and whole differ: ${damaged}`);
    if (!isDeepStrictEqual(split.value, whole.value)) fail(`split and whole show different values: ${damaged}`);
    if (!whole.finish().ok) refused += 1;
  });
  expect(refused).toBeGreaterThan(RUNS / 4); // otherwise the damage is harmless and the test proves nothing
});

test('accepts exactly what JSON.parse accepts among random sequences of tokens', () => {
  const token = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"',
    '\\',
    'u00e9',
    '1',
    '-',
    '.',
    'e',
    '0',
    'true',
  );
  check(fc.array(fc.oneof(token, space()), { maxLength: 8 }), (tokens) => {
    agreeWithJsonParse(read(...tokens), tokens.join(''));
  });
});

function check<Value>(values: fc.Arbitrary<Value>, property: (value: Value) => void): void {
  fc.assert(fc.property(values, property), { numRuns: RUNS });
}

function fail(message: string): never {
  throw new Error(message);
}

function agreeWithJsonParse(json: PartialJson, text: string): void {
  const result = json.finish();
  const expected = parsed(text);
  if (result.ok !== expected.ok) fail(`${text}: JSON.parse ${expected.ok ? 'accepts' : 'refuses'} it, finish does not`);
  if (result.ok && !isDeepStrictEqual(result, expected)) fail(`${text} is read as ${shape(result.value)}`);
}

function parsed(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

const shape = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** Whether a value is an earlier state of the final one: at each level at most one part is unfinished, the last one. */
function isSoFar(shown: unknown, final: unknown): boolean {
  if (shown === undefined || Object.is(shown, final)) return true;
  if (typeof shown === 'string' && typeof final === 'string') return final.startsWith(shown);
  if (Array.isArray(shown) && Array.isArray(final)) {
    const last = shown.length - 1;
    return (
      shown.length <= final.length &&
      shown.every((item, at) => (at < last ? isDeepStrictEqual(item, final[at]) : isSoFar(item, final[at])))
    );
  }
  if (isRecord(shown) && isRecord(final)) {
    const members = Object.entries(shown);
    const unfinished = members.filter(([name, value]) => !isDeepStrictEqual(value, final[name]));
    return (
      members.every(([name, value]) => Object.hasOwn(final, name) && isSoFar(value, final[name])) &&
      unfinished.length <= 1
    );
  }
  return false;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What is known of the beginning of a valid text, found the slow way and without the reader under test: takes characters
 * away from the end until the rest, with its brackets closed, is a text that JSON.parse accepts.
 */
function knownOf(prefix: string): unknown {
  const endsInNumber = !insideString(prefix) && /[-+.\deE]$/.test(prefix) && !/(true|false)$/.test(prefix);
  let rest = endsInNumber ? prefix.replace(/[-+.\deE]+$/, '') : prefix;
  for (; rest !== ''; rest = rest.slice(0, -1)) {
    const inString = insideString(rest);
    if (inString && endsInHalfPair(rest)) continue;
    const closed = parsed(rest + (inString ? '"' : '') + closersOf(rest));
    if (closed.ok) return closed.value;
  }
  return undefined;
}

const withoutStrings = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*"/gs, '');

const insideString = (text: string): boolean => withoutStrings(text).includes('"');

/** The decoded string ends in the first half of a pair: as a character, or as an escape that is not itself escaped. */
const endsInHalfPair = (text: string): boolean =>
  /[\ud800-\udbff]$/.test(text) || /(?:^|[^\\])(?:\\\\)*\\u[dD][89abAB][\da-fA-F]{2}$/.test(text);

function closersOf(text: string): string {
  const closers: string[] = [];
  for (const char of withoutStrings(text).replace(/".*$/s, '')) {
    if (char === '{') closers.unshift('}');
    if (char === '[') closers.unshift(']');
    if (char === '}' || char === ']') closers.shift();
  }
  return closers.join('');
}

/** JSON as text rather than values, so that white space, escapes and numbers take every form that they may have. */
function jsonText(): fc.Arbitrary<string> {
  const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { weight: 2, arbitrary: stringText() },
      { weight: 1, arbitrary: numberText() },
      { weight: 1, arbitrary: fc.constantFrom('true', 'false', 'null') },
      { weight: 2, arbitrary: tie('list') },
      { weight: 4, arbitrary: tie('object') },
    ),
    list: fc
      .tuple(fc.array(padded(tie('value')), { maxLength: 3 }), space())
      .map(([items, blank]) => (items.length === 0 ? `[${blank}]` : `[${items.join(',')}]`)),
    object: fc
      .tuple(
        fc.uniqueArray(fc.tuple(stringText(), space(), padded(tie('value'))), {
          maxLength: 3,
          selector: ([name]): unknown => JSON.parse(name),
        }),
        space(),
      )
      .map(([members, blank]) => `{${blank}${members.map(([name, gap, item]) => `${name}${gap}:${item}`).join(',')}}`),
  }));
  return padded(value);
}

const space = (): fc.Arbitrary<string> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant('') }, fc.constantFrom(' ', '\n', '\r\n', '\t  '));

const padded = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(space(), text, space()).map((parts) => parts.join(''));

function stringText(): fc.Arbitrary<string> {
  const written = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 2 })
    .map((text) => JSON.stringify(text).slice(1, -1));
  const escapes = ['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '\\u00e9', '\\u0022', '\\u005C', '\\uFFFF'];
  const pairs = ['😀', '\\ud83d\\ude00', '\\uD83D', '\\uDE00', '\\\\ud83d', 'é', '日'];
  const names = ['__proto__', 'constructor', '0', '{', ']', ':', ','];
  return fc
    .array(fc.oneof(written, fc.constantFrom(...escapes), fc.constantFrom(...pairs), fc.constantFrom(...names)), {
      maxLength: 4,
    })
    .map((parts) => `"${parts.join('')}"`);
}

function numberText(): fc.Arbitrary<string> {
  const digits = fc.stringMatching(/^[0-9]{1,3}$/);
  const integer = fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,4}$/));
  const fraction = fc.option(digits, { nil: undefined }).map((some) => (some === undefined ? '' : `.${some}`));
  const exponent = fc
    .option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-'), fc.stringMatching(/^[0-9]{1,3}$/)), { nil: undefined })
    .map((some) => some?.join('') ?? '');
  return fc.tuple(fc.constantFrom('', '-'), integer, fraction, exponent).map((parts) => parts.join(''));
}

/** One small corruption: something removed, inserted, doubled or truncated. */
function damage(): fc.Arbitrary<(text: string) => string> {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const length = fc.integer({ min: 1, max: 3 });
  const strange = fc.constantFrom(...'{}[]:,"\\\'u0-+.eE\n\t\u0000\u007f\u2028\ud83d a');
  return fc
    .tuple(place, length, strange, fc.constantFrom('remove', 'insert', 'replace', 'double', 'cut'))
    .map(([fraction, count, char, harm]) => (text: string) => {
      const at = Math.floor(fraction * text.length);
      const [before, after] = [text.slice(0, at), text.slice(at)];
      if (harm === 'remove') return before + after.slice(count);
      if (harm === 'insert') return before + char + after;
      if (harm === 'replace') return before + char + after.slice(1);
      if (harm === 'double') return before + after.slice(0, count) + after;
      return before;
    });
}
