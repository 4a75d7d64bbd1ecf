import { expect, test } from 'vitest';
import { isPlainGitConfig } from './plain-git-config.js';

test.each([
  ['nothing', ''],
  [
    'what git init writes',
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n',
  ],
  [
    'what git clone adds',
    '[remote "origin"]\n\turl = git@example.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n',
  ],
  [
    'a submodule',
    '[core]\n\tworktree = ../../../sub\n[submodule "a b"]\n\turl = ./a\n\tactive = true\n\tupdate = rebase\n',
  ],
  ['comments and a name with umlauts', '# note\n; note\n[user]\n\tname = Grün\n'],
  ['line ends of Windows', '[core]\r\n\tbare = true\r\n'],
])('%s is plain', (_name, text) => {
  expect(isPlainGitConfig(text)).toBe(true);
});

test.each([
  ['a watcher', '[core]\n\tfsmonitor = ./x\n'],
  ['a folder of hooks', '[core]\n\thooksPath = x\n'],
  ['an included file', '[include]\n\tpath = x\n'],
  ['a condition', '[includeIf "gitdir:/"]\n\tpath = x\n'],
  ['a filter', '[filter "x"]\n\tclean = ./x\n'],
  ['an alias', '[alias]\n\tst = !x\n'],
  ['a program in the address of a remote', '[remote "origin"]\n\turl = ext::sh -c x\n'],
  ['the same behind quotes', '[remote "origin"]\n\turl = "ext:":sh\n'],
  ['a program for updates of a submodule', '[submodule "x"]\n\tupdate = !x\n'],
  ['another protocol that may be used', '[protocol "ext"]\n\tallow = always\n'],
  ['a key behind its header on one line', '[core] fsmonitor = ./x\n'],
  ['two headers on one line', '[user] [core]\n\tname = ./x\n'],
  ['a continued line', '[user]\n\tname = a\\\n[core]\n\tfsmonitor = ./x\n'],
  ['a section by a dotted name', '[core.x]\n\tbare = true\n'],
  ['a bracket in a subsection that is escaped', '[remote "a\\"]"]\n\turl = x\n'],
  ['a carriage return within a line', '[user]\n\tname = a\r[core]\n'],
  ['a byte order mark', '\ufeff[core]\n\tbare = true\n'],
  ['a NUL', '[user]\n\tname = a\0b\n'],
  ['a value before any header', 'bare = true\n'],
  ['more than is read', `[user]\n\tname = ${'a'.repeat(70_000)}\n`],
])('%s is not plain', (_name, text) => {
  expect(isPlainGitConfig(text)).toBe(false);
});
