export const help = `helve audit: what was decided and done in a session, and whether the log is as it was written

  helve audit list              the sessions of this folder that have a log
  helve audit show SESSION      every entry of one; SESSION is an id, its beginning, or last
  helve audit verify [SESSION]  whether nothing was changed, taken out or put in; without SESSION, the last one

Options
  --all                         of list: those of other folders too; of verify: every log
  --hash HASH                   of verify: there must be an entry with this hash, which an earlier verify has printed
  --json                        as JSON, with times in UTC

Exit status: 0 fine; 1 no such session, or a log that is not intact; 2 wrong usage`;
