export const help = `helve logs: show what a session has done

  helve logs [ID]           by the id of the session, or the beginning of it, or last; helve ps lists them.
                            If there is only one, the id can be left out

Options
  --follow, -f              of a background session: also what it does next, until it has nothing to do
  --json                    one JSON object a line

Exit status: 0 success; 1 the session can't be read; 2 no such session`;
