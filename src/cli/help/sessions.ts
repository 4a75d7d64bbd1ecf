export const help = `helve sessions: list, show, delete and export saved conversations

  helve sessions [list]         those of this folder, the latest first
  helve sessions show ID        one of them, without secrets in known formats; ID is an id, its beginning, or last
  helve sessions delete ID …    delete them
  helve sessions export ID      one as a document, with secrets in known formats redacted

Options
  --all                         of list: those of other folders too
  --json                        of list and show: as JSON
  --raw                         of show: with secrets unredacted
  --format md|html              of export: Markdown (default), or one page for a browser
  --output FILE, -o FILE        of export: write it to a new file

To resume one: helve -p "…" --resume ID, or --continue for the last one of this folder; with --fork, in a copy.
Exit status: 0 success; 1 no such session, or one that is in use; 2 wrong usage`;
