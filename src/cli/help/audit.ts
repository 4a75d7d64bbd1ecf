export const help = `helve audit: show the log of a session's decisions and calls, and check that it is intact

  helve audit list              the sessions of this folder that have a log
  helve audit show SESSION      one line for each call; SESSION is an id, its beginning, or last
  helve audit verify [SESSION]  check that no entry was changed, removed or added; without SESSION, the last one

Options
  --long                        of show: every entry, with ids, rules and hashes
  --all                         of list: those of other folders too; of verify: every log
  --hash HASH                   of verify: require an entry with this hash, which an earlier verify has printed
  --json                        as JSON, with times in UTC

Exit status: 0 success; 1 no such session, or a log that is not intact; 2 wrong usage`;
