export const help = `helve sessions: the conversations that are kept

  helve sessions [list]         those of this folder, the latest first
  helve sessions show ID        one of them, to read, without known formats of secrets; ID is an id, its beginning, or last
  helve sessions delete ID …    remove them
  helve sessions export ID      one as a document, with known formats of secrets blacked out

Options
  --all                         of list: those of other folders too
  --json                        of list and show: as JSON
  --raw                         of show: with secrets as they were
  --format md|html              of export: Markdown (default), or one page for a browser
  --output FILE, -o FILE        of export: write it to a new file

To take one up: helve -p "…" --resume ID, or --continue for the last one of this folder; with --fork, in a copy.
Exit status: 0 fine; 1 no such session, or one that is in use; 2 wrong usage`;
