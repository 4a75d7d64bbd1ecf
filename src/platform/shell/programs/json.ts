// jq and yq: their first operand is a filter, a program of its own that may read more than its input.
import { checkFilter } from './check-filter.js';
import { touch } from './options.js';
import { type Call, known, type Program, type ProgramVerdict, type ShellField, type Touch } from './program.js';

const jqFlags = new Set('cnrRjaCMSse');
const jqLongFlags = new Set(
  '--compact-output --null-input --raw-output --raw-output0 --raw-input --join-output --ascii-output --color-output --monochrome-output --sort-keys --slurp --exit-status --tab --stream --stream-errors --seq --unbuffered --help --version'.split(
    ' ',
  ),
);

/** jq's own parser: short options may be bundled, options may follow operands, and values are separate words. */
function judgeJq({ args }: Call): ProgramVerdict {
  const rest = [...args];
  const operands: ShellField[] = [];
  const touches: Touch[] = [];
  let why: string | undefined;
  let areFiles = true; // after --args and --jsonargs, operands are strings
  const fromFile = args.find(({ value }) => /^(-[a-zA-Z]*f[a-zA-Z]*|--from-file(=.*)?)$/s.test(value ?? ''))?.value;
  if (fromFile?.includes('=')) touches.push(...touch('read', known(fromFile.slice(fromFile.indexOf('=') + 1))));
  const values = (count: number, option: string): ShellField[] => {
    const taken = rest.splice(0, count);
    if (taken.length < count || taken.some(({ splits }) => splits)) why ??= `${option} lacks its values`;
    return taken;
  };
  const operand = (field: ShellField): void => {
    if ((operands.length > 0 && areFiles) || fromFile !== undefined) touches.push(...touch('read', field));
    operands.push(field);
  };
  for (let field = rest.shift(); field !== undefined; field = rest.shift()) {
    const { value } = field;
    if (value === undefined && field.mayBeOption) {
      why ??= `${field.text} may be an option`;
      operand(field);
    } else if (value === undefined || !value.startsWith('-')) {
      operand(field);
    } else if (value === '--') {
      for (const each of rest.splice(0)) operand(each);
    } else if (value === '--arg' || value === '--argjson') {
      values(2, value);
    } else if (value === '--slurpfile' || value === '--rawfile') {
      const [, file] = values(2, value);
      if (file) touches.push(...touch('read', file));
    } else if (value === '--indent') {
      values(1, value);
    } else if (value === '-L') {
      const [folder] = values(1, value);
      if (folder) touches.push(...touch('read-tree', folder));
    } else if (value === '--args' || value === '--jsonargs') {
      areFiles = false;
    } else if (
      value.startsWith('--') ? !jqLongFlags.has(value) : ![...value.slice(1)].every((each) => jqFlags.has(each))
    ) {
      why ??= `the option ${value} is not known to be harmless`;
    }
  }
  const asks = args.some(({ value }) => value === '--help' || value === '--version');
  why ??= asks && operands.length === 0 ? undefined : checkFilter(operands[0]?.value);
  return { touches, needsWalls: true, ...(why !== undefined && { why }) };
}

const jq: Program = {
  names: ['jq'],
  judge: judgeJq,
  examples: {
    harmless: [
      "jq '.name' package.json",
      "jq -r '.scripts | keys[]' package.json",
      'jq . a.json',
      'cat a.json | jq .x',
      "jq --arg env x '.[$env]' a.json",
      "jq '.env, .include[0], .imports' a.json",
      "jq -n --slurpfile a b.json '$a'",
      "jq -rn --args '$ARGS.positional' a b",
      'jq \'map(select(.a == "x")) | length\' a.json',
      'jq -r \'"\\(.a): \\(.b | tostring)"\' a.json',
    ],
    not: [
      'jq . a > b',
      'jq --unheard-of . a',
      'jq -f a.jq b',
      'jq -nf a.jq b',
      'jq --from-file a.jq b',
      "jq -n '$ENV'",
      "jq -n '$ ENV'",
      "jq -n '$\n#c\nENV'",
      "jq -n '$__prog_args'",
      'jq -n env',
      "jq -n '. as $x|env'",
      'jq -n \'"\\(env)"\'',
      'jq -n \'"a\\("b\\(env)")"\'',
      'jq -n \'import "x" as $d; $d\'',
      'jq -n \'include "x"; f\'',
      'jq -n \'"x" | modulemeta\'',
      'jq -n \'@json "\\(env)"\'',
      "jq -n '1.,env'",
      'jq --arg a $x . b',
      'jq "$filter" a',
      'jq -L. \'include "a"; f\' x',
    ],
  },
};

const yqFlags = /^-[rPCMNey]+$/;
const yqLongFlags = new Set(
  '--raw-output --prettyPrint --colors --no-colors --no-doc --yaml-output --help --version'.split(' '),
);
const yqGlued = /^(-[opI]=?|--(output-format|input-format|indent)=)[\w.]+$/;
const yqSeparate = /^(-[opI]|--(output-format|input-format|indent))$/;

/**
 * Two programs have this name. One wraps jq, and passes unknown words on to jq's command line; so every word that is
 * not a plain flag counts as a file and as a filter.
 */
function judgeYq({ args }: Call): ProgramVerdict {
  const words: ShellField[] = [];
  let why: string | undefined;
  let optionsEnd = false;
  for (const [index, field] of args.entries()) {
    const { value = '' } = field;
    if (field.value === undefined || optionsEnd || !value.startsWith('-') || value === '-') {
      if (field.value === undefined && field.mayBeOption) why ??= `${field.text} may be an option`;
      if (yqSeparate.test(args[index - 1]?.value ?? '') && !/^\w+$/.test(value))
        why ??= `${field.text} is not understood`;
      words.push(field);
    } else if (value === '--') optionsEnd = true;
    else if (!yqFlags.test(value) && !yqLongFlags.has(value) && !yqGlued.test(value) && !yqSeparate.test(value)) {
      why ??= `the option ${value} is not known to be harmless`;
    }
  }
  const [first] = words;
  const evaluates = /^(e|ea|eval|eval-all)$/.test(first?.value ?? '');
  const operands = evaluates ? words.slice(1) : words;
  const isName = ({ value, pathSpecs }: ShellField): boolean =>
    value === undefined ? pathSpecs !== undefined : /^[\w./@+-]+$/.test(value) && !/^\.?\w*$/.test(value);
  for (const [index, field] of operands.entries()) {
    if (index === 0 || !isName(field)) why ??= checkFilter(field.value);
  }
  const hasFilter = operands.length > 1 && !args.some(({ value }) => yqSeparate.test(value ?? ''));
  const files = hasFilter ? operands.slice(1) : operands;
  return {
    touches: files.flatMap((field) => touch('read', field)),
    needsWalls: true,
    ...(why !== undefined && { why }),
  };
}

const yq: Program = {
  names: ['yq'],
  judge: judgeYq,
  examples: {
    harmless: ["yq '.a' x.yml", 'yq -r .name a.yaml', "yq eval '.a' x.yml", 'cat a.yml | yq .a', 'yq -o=json . a.yml'],
    not: [
      "yq -i '.a=1' x.yml",
      'yq -ri .a x.yml',
      'yq --inplace . x',
      'yq --in-pl . x',
      'yq eval-all . x -s y',
      'yq \'load("x")\' x.yml',
      'yq \'load_str ("x")\' x.yml',
      "yq e 'strenv(X)' x.yml",
      'yq -o env .a x.yml',
      'yq e \'system("id")\' x.yml',
      'yq -f front x.yml',
      'yq --from-file x a.yml',
      "yq eval '.a |= env(X)' x.yml",
    ],
  },
};

export const json: readonly Program[] = [jq, yq];
