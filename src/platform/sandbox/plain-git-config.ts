/** Keys that start no program, change no path to one, and include no other file. */
const PLAIN_KEYS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|worktree|autocrlf|eol|safecrlf|sparsecheckout|sparsecheckoutcone|untrackedcache|splitindex|abbrev|compression|longpaths|quotepath|sharedrepository|preloadindex|multipackindex|commitgraph)$/,
  /^extensions\.\w+$/,
  /^remote\..*\.(?:url|pushurl|fetch|push|tagopt|mirror|prune|promisor|partialclonefilter)$/s,
  /^branch\..*\.(?:remote|merge|rebase|pushremote|description)$/s,
  /^submodule\..*\.(?:url|active|branch|ignore|update|shallow|fetchrecursesubmodules)$/s,
  /^submodule\.(?:active|recurse)$/,
  /^user\.(?:name|email)$/,
  /^(?:advice|color|gc|index|pack|feature)\.\w+$/,
  /^(?:init\.defaultbranch|pull\.rebase|pull\.ff|push\.default|push\.autosetupremote|fetch\.prune|rerere\.enabled|protocol\.version|merge\.conflictstyle|diff\.renames)$/,
];

const MAX_CHARS = 65_536;

/**
 * Whether a git configuration can't start any program. Stricter than git's own grammar: a line that is not exactly
 * one header or one `key = value`, as git writes them, counts as not plain, so that git can't parse it differently.
 */
export function isPlainGitConfig(text: string): boolean {
  if (text.length > MAX_CHARS) return false;
  let section = '';
  return text.split(/\r?\n/).every((line) => {
    if (/[^\t\x20-\x7e\u00a1-\ud7ff\ue000-\ufefe]/.test(line)) return false; // control characters, a byte order mark
    if (/^\s*(?:[#;].*)?$/.test(line)) return true;
    const header = /^\s*\[([A-Za-z0-9-]+)(?:[ \t]+"([^"\\]*)")?\]\s*$/.exec(line);
    if (header) {
      const [, name = '', subsection] = header;
      section = subsection === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${subsection}`;
      return true;
    }
    const entry = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=([^\\]*))?$/.exec(line);
    if (!entry || section === '') return false;
    const [, key = '', value = ''] = entry;
    return isPlainEntry(`${section}.${key.toLowerCase()}`, value.replaceAll('"', '').trim());
  });
}

function isPlainEntry(key: string, value: string): boolean {
  if (!PLAIN_KEYS.some((plain) => plain.test(key))) return false;
  if (/url$/.test(key)) return !value.includes('::'); // `helper::address` starts git-remote-helper
  if (/^submodule\..*\.update$/s.test(key)) return /^(?:checkout|merge|rebase|none)$/.test(value);
  return true;
}
