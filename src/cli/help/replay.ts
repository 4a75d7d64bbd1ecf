export const help = `helve replay: replay a session's calls in a copy of the project, and show what differs

  helve replay ID               ID is the id of a session, its beginning, or last
  helve replay ID --policy FILE run nothing: which calls these settings would have decided differently

Options
  --from-start                  use the files as they were when the session started; the default
  --from-now                    use the files as they are now
  --strict                      results must be identical, including durations and other volatile parts
  --skip DIR                    leave DIR out of the copy; may be given several times
  --settings FILE               settings with precedence over project and user, as a file or as JSON
  --no-sandbox                  run commands without a sandbox
  --keep                        keep the copy, and say where it is
  --json                        the report as one object

Exit status: 0 nothing differs; 1 something does, or there is no such session; 2 wrong usage, or an invalid
policy`;
