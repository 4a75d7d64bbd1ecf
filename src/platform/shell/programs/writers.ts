// Programs that write: none of them is harmless, but the files that they would touch are known.
import { addressOf } from './git-reads.js';
import { withFullNames } from './long-options.js';
import {
  hasOption,
  type Meaning,
  optionTable,
  optionTouches,
  type ParsedArguments,
  parseOptions,
  touch,
} from './options.js';
import { known, type Program, type ShellField, type Touch } from './program.js';

interface WriterSpec {
  names: string;
  options: string;
  /**
   * The table lists all options of the program, so that abbreviated ones can be resolved, and unknown ones name
   * unknown files.
   */
  complete?: boolean;
  /** The files that it would touch; operands that no option took. */
  touches: (parsed: ParsedArguments) => Touch[];
  /** The addresses among the operands, which are not files here. */
  addresses?: (operand: ShellField) => string[];
  examples: readonly string[];
}

function writer({ names, options, complete = false, touches, addresses, examples }: WriterSpec): Program {
  const table = optionTable(options);
  return {
    names: names.split(' '),
    examples: { harmless: [], not: examples },
    judge({ args }) {
      const parsed = parseOptions(complete ? withFullNames(args, table) : args, table, { anyOption: true });
      // With an unknown option, every word may be a file, and so may the value attached to the option.
      const files =
        parsed.problem === undefined
          ? parsed
          : { ...parsed, operands: args.filter(({ value }) => !value?.startsWith('-')) };
      const network = addresses ? files.operands.flatMap(addresses) : [];
      const named = touches(files).filter(({ file }) => !addresses || addresses(file).length === 0);
      return {
        why: 'it writes',
        touches: [...optionTouches(files), ...named, ...(complete ? unknownOptions(parsed, args) : [])],
        ...(network.length > 0 && { network }),
      };
    },
  };
}

/** An unknown option may name any file, even for writing. */
function unknownOptions({ problem }: ParsedArguments, args: readonly ShellField[]): Touch[] {
  if (problem === undefined) return [];
  const glued = args.filter(({ value }) => /^--[\w-]+=./s.test(value ?? ''));
  const text = glued[0]?.text ?? problem;
  return [{ access: 'write', file: { text, mayBeOption: false, splits: false } }];
}

const all =
  (meaning: Meaning) =>
  ({ operands }: ParsedArguments): Touch[] =>
    operands.flatMap((file) => touch(meaning, file));

/**
 * The last operand is written, or with `-t` the folder that it names; the others are read or removed. In a folder
 * each keeps its own name.
 */
const toLast =
  (source: Meaning) =>
  (parsed: ParsedArguments): Touch[] => {
    const { operands, options } = parsed;
    const target = options.findLast(({ name }) => name === '-t' || name === '--target-directory')?.value;
    const sources = target ? operands : operands.slice(0, -1);
    const destination = target ?? operands.at(-1);
    return [
      ...sources.flatMap((file) => touch(source, file)),
      ...(destination && !target ? touch('write-tree', destination) : []),
      ...(destination ? sources.flatMap((file) => arrives(file, destination, parsed)) : []),
    ];
  };

/** The path of a source in the destination, if that is a folder, and its backup beside it. */
function arrives(source: ShellField, { value: folder }: ShellField, parsed: ParsedArguments): Touch[] {
  const { value } = source;
  if (value === undefined || folder === undefined) return [];
  const path = hasOption(parsed, '--parents')
    ? value
    : (value
        .replace(/(?<!\/)\/+$/, '')
        .split('/')
        .at(-1) ?? '');
  const isNamed = path !== '' && path !== '.' && path !== '..';
  const inFolder = isNamed && !hasOption(parsed, '-T', '--no-target-directory') ? [`${folder}/${path}`] : [];
  const suffix = backupSuffix(parsed);
  const backups = suffix === undefined ? [] : [folder, ...inFolder].map((name) => `${name}${suffix}`);
  return [...inFolder, ...backups].flatMap((name) => touch('write', known(name)));
}

function backupSuffix(parsed: ParsedArguments): string | undefined {
  const given = parsed.options.findLast(({ name }) => name === '-S' || name === '--suffix')?.value;
  return given?.value ?? (hasOption(parsed, '-b', '--backup') ? '~' : undefined);
}

/** The same for a program that replaces the content of the files that it writes, unless one of these options is given. */
const replacing =
  (touches: (parsed: ParsedArguments) => Touch[], ...unless: string[]) =>
  (parsed: ParsedArguments): Touch[] =>
    hasOption(parsed, ...unless)
      ? touches(parsed)
      : touches(parsed).map((each) => (each.access === 'write' && !each.removes ? { ...each, replaces: true } : each));

const afterFirst =
  (meaning: Meaning) =>
  (parsed: ParsedArguments): Touch[] =>
    parsed.operands.slice(hasOption(parsed, '--reference') ? 0 : 1).flatMap((file) => touch(meaning, file));

const ddFiles = ({ operands }: ParsedArguments): Touch[] =>
  operands.flatMap((field) => {
    const [, name, path = ''] = /^(if|of)=(.*)$/s.exec(field.value ?? '') ?? [];
    if (field.value === undefined) return [{ access: 'write' as const, file: field }];
    const file: ShellField = { ...field, value: path, mayBeOption: false };
    return name === undefined ? [] : touch(name === 'if' ? 'read' : 'write', file);
  });

const here: Touch = { access: 'write', file: { text: '.', value: '.', mayBeOption: false, splits: false }, tree: true };

/** `tar xf a.tar` without a dash: the letters are the first word, and the archive the second. */
function tarFiles(parsed: ParsedArguments): Touch[] {
  const [first, ...others] = parsed.operands;
  const letters = first?.value ?? '';
  const isAlone = parsed.options.length === 0 && /^[A-Za-eg-z]*f[A-Za-z]*$/.test(letters);
  const bundled = isAlone || /^[zjJvpah]*[cru][zjJvpafhSOP]*$/.test(letters) ? letters : undefined;
  const creates =
    /[cru]/.test(bundled ?? '') || hasOption(parsed, '-c', '-r', '-u', '--create', '--append', '--update');
  const archives = parsed.options.flatMap(({ name, value }) =>
    (name === '-f' || name === '--file') && value ? [value] : [],
  );
  const isNamed = bundled?.includes('f') === true; // else the archive is standard output, or an option names it
  const members = bundled === undefined ? parsed.operands : others.slice(isNamed ? 1 : 0);
  const named = isNamed ? others.slice(0, 1) : archives;
  return [
    ...named.flatMap((file) => touch(creates ? 'write' : 'read', file)),
    ...(creates ? members.flatMap((file) => touch('read-tree', file)) : [here]),
  ];
}

const teeOptions = optionTable('-aip --append --ignore-interrupts --output-error?');

const tee: Program = {
  names: ['tee'],
  judge({ args }) {
    const parsed = parseOptions(args, teeOptions);
    const writes = parsed.operands.some(({ value }) => !/^\/dev\/(null|stdout|stderr)$/.test(value ?? ''));
    const why = parsed.problem ?? (writes ? 'it writes' : undefined);
    const files = parsed.problem === undefined ? parsed.operands : args.filter(({ value }) => !value?.startsWith('-'));
    const how = hasOption(parsed, '-a', '--append') ? {} : { replaces: true };
    const touches = files.flatMap((file) => touch('write', file)).map((each) => ({ ...each, ...how }));
    return { touches, ...(why !== undefined && { why }) };
  },
  examples: {
    harmless: ['ls | tee', 'ls | tee /dev/null', 'ls | tee /dev/stderr'],
    not: ['ls | tee out.txt', 'ls | tee -a x', 'ls | tee /dev/null x', 'ls | tee $x'],
  },
};

const listings: Readonly<Record<string, RegExp>> = {
  unzip: /^-(l|v|lv|Z1|Z)$/,
  tar: /^-?(t[vzjJf]*f|tf[vzjJ]*)$/,
  bsdtar: /^-?(t[vzjJf]*f|tf[vzjJ]*)$/,
};
const toStandardOutput = /^-(c|dc|cd|t)$/; // for programs that compress one file

/** Lists the content of an archive, in plain forms only: decompressors named by option are programs. */
const archiveLists: Program['judge'] = ({ name, args: [flags, archive, ...more] }) => {
  const lists = listings[name] ?? toStandardOutput;
  // `host:a.tar` is on another machine.
  const isHere = archive?.mayBeOption === false && !archive.splits && !/^[^/]*:/.test(archive.value ?? ':');
  // Without a name it lists its standard input, or the archive that TAPE names: neither belongs to a confined
  // command.
  if (/^-?tv?$/.test(flags?.value ?? '') && name.endsWith('tar') && archive === undefined) return { needsWalls: true };
  const listing = lists.test(flags?.value ?? '') && isHere;
  return listing && more.length === 0 ? { touches: touch('read', archive) } : { why: 'it writes' };
};

function orLists(program: Program, harmless: readonly string[]): Program {
  return {
    ...program,
    judge(call) {
      const listing = archiveLists(call);
      return listing.why === undefined ? listing : program.judge(call);
    },
    examples: { harmless, not: program.examples.not },
  };
}

export const writers: readonly Program[] = [
  tee,
  writer({
    names: 'rm',
    complete: true,
    options:
      '-fiIrRdv --force --interactive? --recursive --dir --verbose --one-file-system --no-preserve-root --preserve-root? --presume-input-tty --help --version',
    touches: (parsed) => all(hasOption(parsed, '-r', '-R', '--recursive') ? 'remove-tree' : 'remove')(parsed),
    examples: ['rm x', 'rm -rf build', 'rm -rf ~'],
  }),
  writer({
    names: 'rmdir',
    complete: true,
    options: '-pv --parents --path --verbose --ignore-fail-on-non-empty --help --version',
    touches: all('remove'),
    examples: ['rmdir x'],
  }),
  writer({ names: 'unlink', options: '', touches: all('remove'), examples: ['unlink x'] }),
  writer({
    names: 'shred',
    options: '-fuvxz -n= -s= --remove? --zero',
    touches: all('remove'),
    examples: ['shred -u x'],
  }),
  writer({
    names: 'cp',
    complete: true,
    options:
      '-abdfiHlLnPpRrsuvxTZ -S= -t=write-tree --archive --attributes-only --backup? --copy-contents --debug --dereference --force --interactive --keep-directory-symlink --link --no-clobber --no-dereference --no-preserve= --no-target-directory --one-file-system --parents --path --preserve? --recursive --reflink? --remove-destination --sparse= --strip-trailing-slashes --suffix= --symbolic-link --target-directory=write-tree --update? --verbose --context? --help --version',
    touches: replacing(toLast('read-tree'), '-n', '--no-clobber'),
    examples: ['cp a b', 'cp -r src x', 'cp -t dir a'],
  }),
  writer({
    names: 'mv',
    complete: true,
    options:
      '-bfinuvTZ -S= -t=write-tree --backup? --context --debug --exchange --force --interactive --no-clobber --no-copy --no-target-directory --strip-trailing-slashes --suffix= --target-directory=write-tree --update? --verbose --help --version',
    touches: replacing(
      (parsed) => [
        ...toLast('read-tree')(parsed).filter(({ access }) => access === 'read'),
        ...toLast('remove-tree')(parsed),
      ],
      ...['-n', '--no-clobber', '--exchange'],
    ),
    examples: ['mv a b'],
  }),
  writer({
    names: 'install',
    complete: true,
    options:
      '-bcCdDpsvTZ -g= -m= -o= -S= -t=write-tree --backup? --compare --context? --debug --directory --group= --mode= --no-target-directory --owner= --preserve-context --preserve-timestamps --strip --strip-program= --suffix= --target-directory=write-tree --verbose --help --version',
    touches: (parsed) =>
      hasOption(parsed, '-d', '--directory') ? all('write')(parsed) : replacing(toLast('read'))(parsed),
    examples: ['install -m 755 a /usr/local/bin/a'],
  }),
  writer({
    names: 'ln',
    complete: true,
    options:
      '-bdfFiLnPrsTvh -S= -t=write-tree --backup? --directory --force --interactive --logical --no-dereference --no-target-directory --physical --relative --suffix= --symbolic --target-directory=write-tree --verbose --help --version',
    // With one operand the link is created here, under the same name.
    touches: (parsed) => {
      const { operands } = parsed;
      const inFull = operands.length === 1 ? { ...parsed, operands: [...operands, known('.')] } : parsed;
      return (hasOption(parsed, '-f', '--force') ? replacing(toLast('read')) : toLast('read'))(inFull);
    },
    examples: ['ln -s a b', 'ln -s ../a'],
  }),
  writer({ names: 'link', options: '', touches: toLast('read'), examples: ['link a b'] }),
  writer({ names: 'sponge', options: '-a', touches: replacing(all('write'), '-a'), examples: ['sponge x'] }),
  writer({
    names: 'touch',
    complete: true,
    options: '-acfhm -d= -r=list -t= --date= --no-create --no-dereference --reference=list --time= --help --version',
    touches: all('write'),
    examples: ['touch a.txt'],
  }),
  writer({
    names: 'mkdir',
    complete: true,
    options: '-pvZ -m= --mode= --parents --path --verbose --context? --help --version',
    touches: all('write'),
    examples: ['mkdir x'],
  }),
  writer({
    names: 'mkfifo mknod',
    options: '-m= --mode=',
    touches: ({ operands }) => operands.slice(0, 1).flatMap((file) => touch('write', file)),
    examples: ['mkfifo x'],
  }),
  writer({
    names: 'mktemp',
    options: '-duqt -p=write --tmpdir? --suffix= --directory --dry-run --quiet',
    touches: () => [],
    examples: ['mktemp'],
  }),
  writer({
    names: 'truncate',
    options: '-co -s= -r=list --size= --reference=list --no-create --io-blocks',
    touches: replacing(all('write')),
    examples: ['truncate -s0 config/app.json'],
  }),
  writer({ names: 'dd', options: '', touches: replacing(ddFiles), examples: ['dd if=a of=b'] }),
  writer({
    names: 'chmod',
    options: '-cfRvrwxXst --changes --silent --quiet --recursive --verbose --reference=list',
    touches: (parsed) => afterFirst(hasOption(parsed, '-R', '--recursive') ? 'write-tree' : 'write')(parsed),
    examples: ['chmod +x a', 'chmod -R 777 .'],
  }),
  writer({
    names: 'chown chgrp',
    options: '-cfhRvHLP --recursive --from= --reference=list --no-dereference --verbose',
    touches: (parsed) => afterFirst(hasOption(parsed, '-R', '--recursive') ? 'write-tree' : 'write')(parsed),
    examples: ['chown x a'],
  }),
  writer({
    names: 'setfacl xattr chattr',
    options: '-R -m= -x= -b',
    touches: all('write-tree'),
    examples: ['chattr +i a'],
  }),
  writer({
    names: 'rsync',
    options: '-avzrlptgoDnuPhxqcHAXSRbdkLEWi -e= --delete --exclude= --include= --archive --progress --dry-run',
    touches: toLast('read-tree'),
    addresses: addressOf,
    examples: ['rsync -a a b', 'rsync -a a host:b'],
  }),
  orLists(
    writer({
      names: 'tar bsdtar',
      options:
        '-cxtzjJvpkaOmhlSP -f= -ru --create --append --update --extract --gzip --verbose -C=write-tree -T=read -X=read --file= --directory=write-tree --exclude= --strip-components=',
      touches: tarFiles,
      examples: ['tar xf a.tar', 'tar -tf host:a.tar', 'tar -tf a.tar -I ./x', 'tar -xf a.tar --to-command=./x'],
    }),
    ['tar -tf a.tar', 'tar tzf a.tgz', 'tar -tvf a.tar', 'gunzip -c a.tgz | tar t'],
  ),
  orLists(
    writer({
      names: 'unzip',
      options: '-ojqnulvtaCL -d=write-tree -x= -p',
      touches: (parsed) => [
        ...all('read')({ ...parsed, operands: parsed.operands.slice(0, 1) }),
        ...(hasOption(parsed, '-d') ? [] : [here]),
      ],
      examples: ['unzip a.zip'],
    }),
    ['unzip -l a.zip'],
  ),
  writer({
    names: 'zip',
    options: '-rqj9uy -x=',
    touches: ({ operands }) => operands.flatMap((file, index) => touch(index === 0 ? 'write' : 'read-tree', file)),
    examples: ['zip -r a.zip src'],
  }),
  orLists(
    writer({
      names: 'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 brotli',
      options: '-cdfklnqrtv0123456789 -S= -o=write --keep --force --decompress --stdout',
      touches: all('write'),
      examples: ['gzip a', 'xz -d a.xz', 'gzip -dc $x', 'gzip -dcr .', 'zstd -dc a -o b'],
    }),
    ['gzip -dc a.gz', 'gunzip -c a.gz | head', 'xz -dc a.xz'],
  ),
  writer({
    names: 'patch',
    options:
      '-NRbEflnstuv -p= -i=read -o=write -d=write-tree -D= -F= -r=write -B= -Y= -z= --dry-run --forward --reverse --strip= --input=read --output=write --directory=write-tree',
    touches: () => [here],
    examples: ['patch -p1 < a.diff'],
  }),
  writer({
    names: 'split csplit',
    options: '-a= -b= -C= -l= -n= -d -x -e -u',
    touches: ({ operands }) => [...operands.slice(0, 1).flatMap((file) => touch('read', file)), ...[here]],
    examples: ['split a'],
  }),
  writer({
    names: 'vi vim nvim nano emacs ed ex pico',
    options: '-R -n',
    touches: (parsed) => [...all('read')(parsed), ...all('write')(parsed)],
    examples: ['vim a', 'ed a'],
  }),
];
