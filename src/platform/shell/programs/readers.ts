// Programs of the core utilities that print files or facts about them, and nothing else.
import { hasOption, judgePlain, optionTable, parseOptions, plain } from './options.js';
import type { Program } from './program.js';

const listOptions = optionTable(
  `-aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I= -w= -T= --all --almost-all --author --escape --block-size= --ignore-backups
  --color? --directory --dired --classify? --file-type --format= --full-time --group-directories-first --no-group
  --human-readable --si --dereference-command-line --dereference --hide= --hyperlink? --indicator-style= --inode --ignore=
  --kibibytes --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style=
  --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --context --zero --help --version`,
);

const ls: Program = {
  names: ['ls', 'dir', 'vdir'],
  judge({ args }) {
    const parsed = parseOptions(args, listOptions, { anyOption: true });
    const meaning = hasOption(parsed, '-R', '--recursive') ? 'list-tree' : 'list';
    const verdict = judgePlain(parsed, { operands: [meaning], without: { place: '.', meaning } });
    const printed = parsed.operands.every(({ value }) => value !== undefined)
      ? (parsed.operands.length ? parsed.operands : [{ value: '.' }]).map(({ value = '.' }) => ({
          path: value,
          tree: true,
        }))
      : undefined;
    // Without a folder's name in front, what it prints is relative to that folder and not to here; and with more than
    // names in it, as where a link leads, a line is no file; `-a` names the folder above.
    const namesOnly = parsed.options.every(({ name }) => /^-[1AtrSvUXcu]$/.test(name));
    return parsed.operands.length === 0 && namesOnly && printed ? { ...verdict, prints: printed } : verdict;
  },
  examples: {
    harmless: ['ls', 'ls -la', 'ls -lah src', 'ls -R src', 'ls --color=auto *.ts', 'ls -1t | head'],
    not: ['ls > out.txt', 'ls --unheard-of', './ls', '/tmp/ls'],
  },
};

const du = plain({
  names: 'du',
  options: `-0abchklmPsSx -B= -d= -t= -X=read --null --all --apparent-size --block-size= --bytes --total
    --max-depth= --human-readable --inodes --count-links --no-dereference --separate-dirs --si --summarize
    --threshold= --time? --time-style= --exclude-from=read --exclude= --one-file-system --files0-from=read`,
  operands: ['list-tree'],
  anyOption: true,
  without: { place: '.', meaning: 'list-tree' },
  examples: { harmless: ['du -sh .', 'du -h --max-depth=1 src', 'du -sh *'], not: ['du --unheard-of', 'du . > x'] },
});

const tree: Program = plain({
  names: 'tree',
  options: `-adfxCANSnQhpugDFsvrtcUJXi -L= -P= -I= --noreport --charset= --filelimit= --matchdirs --prune --dirsfirst
    --du --si --inodes --device --gitignore --sort= --timefmt= --fromfile --version --help -o=write`,
  operands: ['list-tree'],
  without: { place: '.', meaning: 'list-tree' },
  examples: {
    harmless: ['tree', 'tree -L 2 src', "tree -a -I 'node_modules|.git'"],
    not: ['tree -o out.txt', 'tree -H . -o x', 'tree *'],
  },
});

const stringsOptions = optionTable(
  '-afwos -n= -t= -e= -T= -# --all --bytes= --radix= --encoding= --print-file-name --include-all-whitespace --data --help --version',
);

const strings: Program = {
  names: ['strings'],
  judge({ args }) {
    const verdict = judgePlain(parseOptions(args, stringsOptions), { operands: ['read'] });
    const namesOthers = args.some(({ value }) => value?.startsWith('@'));
    return { ...verdict, ...(namesOthers && { why: '@ takes options and files from another file' }) };
  },
  examples: {
    harmless: ['strings a.bin', 'strings -n 8 a.bin'],
    not: ['strings --unheard-of a', 'strings @list'],
  },
};

export const readers: readonly Program[] = [
  plain({
    names: 'more',
    options: '-#',
    operands: ['read'],
    examples: { harmless: ['more a.txt'], not: ['more -x a', 'more $x', 'less a.txt'] },
  }),
  ls,
  du,
  tree,
  plain({
    names: 'cat',
    options: `-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting
      --help --version`,
    operands: ['read'],
    anyOption: true,
    examples: {
      harmless: ['cat a.txt', 'cat -n a.txt b.txt', 'cat', 'cat src/*.ts', 'cat -- -n'],
      not: ['cat a > b', 'cat --unheard-of a'],
    },
  }),
  plain({
    names: 'head',
    filters: ['-#', '-n', '--lines'],
    options: '-# -n= -c= -qvz --lines= --bytes= --quiet --silent --verbose --zero-terminated --help --version',
    operands: ['read'],
    anyOption: true,
    examples: {
      harmless: ['head -20 README.md', 'head -n 5 a b', 'head --lines=3 a', 'head -c100 a'],
      not: ['head -x a'],
    },
  }),
  plain({
    names: 'tail',
    filters: ['-#', '-n', '--lines'],
    options: `-# -n= -c= -fFqvzr -s= --lines= --bytes= --follow? --retry --pid= --sleep-interval= --max-unchanged-stats=
      --quiet --silent --verbose --zero-terminated --help --version`,
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['tail -n 5 log.txt', 'tail -n +2 a', 'tail -5 a', 'tail -f log.txt'], not: ['tail -x a'] },
  }),
  plain({
    names: 'wc',
    options: '-clmLw --bytes --chars --lines --max-line-length --words --total= --files0-from=read --help --version',
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['wc -l a.txt', 'wc -lw *.md', 'wc'], not: ['wc -x a', 'wc --files0-from=list'] },
  }),
  plain({
    names: 'nl tac rev',
    options: `-b= -d= -f= -h= -i= -l= -n= -ps= -v= -w= -r --body-numbering= --header-numbering= --footer-numbering= --number-format=
      --number-separator= --number-width= --line-increment= --starting-line-number= --separator= --before --regex --help --version`,
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['nl a.txt', 'nl -ba a.txt', 'tac a.txt', 'rev a.txt'], not: ['tac a > b', 'nl -Z a'] },
  }),
  plain({
    names: 'stat',
    options: '-LftxnqFr -c= --dereference --file-system --cached= --format= --printf= --terse --help --version',
    operands: ['list'],
    anyOption: true,
    examples: { harmless: ['stat a.txt', "stat -c '%s' a.txt", 'stat --format=%n *'], not: ['stat -Z a'] },
  }),
  plain({
    names: 'file',
    options: `-bchiIkLnNprsSvzZE0 -F= -e= -P= --brief --checking-printout --extension --separator= --no-buffer --no-pad --raw --mime
      --mime-type --mime-encoding --keep-going --dereference --no-dereference --special-files --uncompress --print0 --help --version --apple`,
    operands: ['read'],
    examples: {
      harmless: ['file src/a.ts', 'file -b --mime-type a.bin'],
      not: ['file -m evil a', 'file -f list', 'file -C -m x', 'file --files-from=x', 'file *'],
    },
  }),
  plain({
    names: 'df',
    options: `-ahHiklPTv -B= -t= -x= --all --block-size= --human-readable --si --inodes --local --no-sync --output? --portability
      --total --type= --print-type --exclude-type= --help --version`,
    operands: ['list'],
    anyOption: true,
    examples: { harmless: ['df -h', 'df -h .'], not: ['df --sync', 'df -Q'] },
  }),
  plain({
    names: 'realpath readlink',
    options: `-eEfmnLPqsz -Z --canonicalize --canonicalize-existing --canonicalize-missing --logical --physical --quiet --silent --strip
      --no-symlinks --zero --no-newline --verbose -v --relative-to= --relative-base= --help --version`,
    operands: ['list'],
    anyOption: true,
    examples: { harmless: ['realpath a.txt', 'readlink -f a.txt'], not: ['realpath --unheard-of a'] },
  }),
  plain({
    names: 'basename dirname',
    options: '-a -s= -z --multiple --suffix= --zero --help --version',
    operands: ['value'],
    anyOption: true,
    examples: { harmless: ['basename /usr/lib/x.so', 'dirname src/a.ts', 'basename "$x" .ts'], not: ['basename -Q x'] },
  }),
  plain({
    names: 'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5',
    options: `-a= -l= -bctwzrsq0 --algorithm= --length= --binary --tag --text --zero --ignore-missing --quiet --status --strict --warn
      --check --raw --untagged --help --version`,
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['sha256sum a.txt', 'md5sum *.ts', 'shasum -a 256 a'], not: ['sha256sum --unheard-of a'] },
  }),
  plain({
    names: 'base64 base32 basenc',
    options:
      '-d -D -i -w= --decode --ignore-garbage --wrap= --base64 --base64url --base32 --base32hex --base16 --z85 --help --version',
    operands: ['read'],
    anyOption: false,
    maxOperands: 1,
    examples: {
      harmless: ['base64 a.txt', 'base64 -d a.b64', 'echo aGk= | base64 -d', 'base64 -w0 a'],
      not: ['base64 -o out a', 'base64 -i a -o b', 'base64 a b'],
    },
  }),
  plain({
    names: 'od',
    options: `-A= -t= -N= -j= -w? -S? -abcdfhilosvx --address-radix= --format= --read-bytes= --skip-bytes= --output-duplicates --width?
      --strings? --traditional --endian= --help --version`,
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['od -c a.bin', 'od -A x -t x1z a.bin'], not: ['od -Q a'] },
  }),
  plain({
    names: 'hexdump hd',
    options: '-bcCdovxX -e= -f=read -n= -s= -L? --canonical --length= --skip= --no-squeezing --help --version',
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['hexdump -C a.bin | head', 'hexdump -n 16 a'], not: ['hexdump --unheard-of a'] },
  }),
  plain({
    names: 'xxd',
    options: '-abdeEiuhpCv -c= -g= -l= -s= -o= -n=',
    operands: ['read', 'write'],
    maxOperands: 1,
    operandsEndOptions: true,
    examples: {
      harmless: ['xxd a.bin', 'xxd -s 16 -l 16 a.bin', 'xxd -p a'],
      not: ['xxd a.bin out', 'xxd -r a b', 'xxd a -p', 'xxd *'],
    },
  }),
  strings,
  plain({
    names: 'diff colordiff',
    options: `-abBcdeEfHilnNpPqrstTuvwyZ0123456789 -C= -U= -D= -F= -I= -L= -S= -W= -x= -X=read --normal --brief --report-identical-files
      --context? --unified? --ed --rcs --side-by-side --width= --left-column --suppress-common-lines --show-c-function
      --show-function-line= --label= --expand-tabs --initial-tab --tabsize= --suppress-blank-empty --recursive --no-dereference
      --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --exclude= --exclude-from=read
      --starting-file= --from-file=read --to-file=read --ignore-case --ignore-tab-expansion --ignore-trailing-space
      --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --ifdef=
      --line-format= --minimal --horizon-lines= --speed-large-files --color? --palette= --help --version`,
    operands: ['read-tree'],
    examples: {
      harmless: ['diff a.txt b.txt', 'diff -u a b', 'diff -r src test', 'diff <(ls src) <(ls test)'],
      not: ['diff --unheard-of a b', 'diff <(touch x) a'],
    },
  }),
  plain({
    names: 'cmp',
    options: '-bls -i= -n= --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent --help --version',
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['cmp a b', 'cmp -s a b'], not: ['cmp -Q a b'] },
  }),
  plain({
    names: 'sdiff',
    options:
      '-abBdEiHlstvWZ -o=write --output=write -w= -I= --ignore-case --ignore-all-space --width= --left-column --suppress-common-lines --text --minimal --help --version',
    operands: ['read'],
    examples: {
      harmless: ['sdiff a b', 'sdiff -s a b'],
      not: ['sdiff -o out a b', 'sdiff --output=x a b', 'sdiff --diff-program=x a b'],
    },
  }),
];
