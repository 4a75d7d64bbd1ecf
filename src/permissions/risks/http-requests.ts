// The request that curl, wget or httpie sends, by its options: the method, and whether data goes with it.
import { type CommandLine, optionValues } from './command-line.js';

interface Request {
  method: string;
  hasBody: boolean;
}

export function requestOf(line: CommandLine): Request | undefined {
  const { name, words } = line;
  if (name === 'curl') return curlRequest(words);
  if (/^wget2?$/.test(name)) return wgetRequest(line);
  if (/^(http|https|httpie|xh|xhs)$/.test(name)) {
    const method = words.find((word) => /^[A-Z]{3,7}$/.test(word));
    const hasBody = words.some((word) => /^[^-][^/]*(:?=@?|@)/.test(word) && !word.includes('://'));
    return { method: method ?? (hasBody ? 'POST' : 'GET'), hasBody };
  }
  return undefined;
}

export const isSending = (method: string): boolean => !/^(GET|HEAD|OPTIONS|…)$/i.test(method);

/** Short options of curl whose value is the rest of the word or the next one. */
const CURL_VALUED = 'AbcCdDeEFhHKmoPQrtTuUwxXyYz';

/** Long options of curl that matter here. Their beginnings count as well: curl accepted them for a long time. */
const CURL_LONG = [
  ...['--request', '--get', '--head', '--upload-file', '--json', '--form', '--form-string', '--data', '--data-ascii'],
  ...['--data-binary', '--data-raw', '--data-urlencode', '--config', '--unix-socket', '--abstract-unix-socket'],
];

/** Other long options of curl that one of these begins like. */
const CURL_COMPLETE = /^--(he(lp|ader)?|form-escape|re(try|solve|ferer|mote-name)?|co(okie|mpressed|nnect-to)?)$/;

interface CurlOption {
  /** The letter with its dash, or the whole long name. */
  name: string;
  /** The next word, for an option without a value too. */
  value: string | undefined;
}

export function curlOptions(words: readonly string[]): CurlOption[] {
  const found: CurlOption[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word.startsWith('--')) {
      const [option = '', glued] = word.split(/=(.*)/s);
      const name = CURL_LONG.includes(option) || CURL_COMPLETE.test(option) ? option : longOption(option);
      found.push({ name, value: glued ?? words[index + 1] });
      continue;
    }
    if (!word.startsWith('-')) continue;
    const letters = [...word.slice(1)];
    const valued = letters.findIndex((letter) => CURL_VALUED.includes(letter));
    const flags = valued < 0 ? letters : letters.slice(0, valued);
    found.push(...flags.map((letter) => ({ name: `-${letter}`, value: undefined })));
    if (valued < 0) continue;
    const rest = letters.slice(valued + 1).join('');
    found.push({ name: `-${letters[valued]}`, value: rest === '' ? words[index + 1] : rest });
    if (rest === '') index += 1;
  }
  return found;
}

const longOption = (option: string): string =>
  (option.length > 4 ? CURL_LONG.find((long) => long.startsWith(option)) : undefined) ?? option;

function curlRequest(words: readonly string[]): Request {
  let method: string | undefined;
  let body: string | undefined;
  let isGet = false;
  for (const { name, value } of curlOptions(words)) {
    if (/^(-X|--request)$/.test(name)) method = value;
    if (/^(-I|--head)$/.test(name)) method ??= 'HEAD';
    if (/^(-G|--get)$/.test(name)) isGet = true;
    if (/^(-d|-F)$|^--(data|form|json)/.test(name)) body ??= 'POST';
    if (/^(-T|--upload-file)$/.test(name)) body ??= 'PUT';
  }
  // With -G the data is a part of the address, and leaves the machine all the same.
  const sent = method ?? (isGet ? 'GET' : body) ?? 'GET';
  return { method: sent.toUpperCase(), hasBody: body !== undefined };
}

function wgetRequest(line: CommandLine): Request {
  // `-e` takes a line of its configuration file: `-e post_file=x`.
  const settings = optionValues(line, /^(-e|--execute)$/).map((setting) => setting.replace(/[_-]/g, '').toLowerCase());
  const hasBody =
    optionValues(line, /^--(post|body)-(data|file)$/).length > 0 ||
    settings.some((setting) => /^\s*(post|body)(data|file)\s*=/.test(setting));
  const named = optionValues(line, /^--method$/).at(-1) ?? /^method\s*=\s*(\w+)/.exec(settings.join('\n'))?.[1];
  return { method: (named ?? (hasBody ? 'POST' : 'GET')).toUpperCase(), hasBody };
}
