export const help = `helve replay: play a session's calls again in a copy of the project, and show what differs

  helve replay ID               ID is the id of a session, its beginning, or last
  helve replay ID --policy FILE run nothing: which calls these settings would have decided differently

Options
  --from-start                  on the files as they were when the session began, not as they are now
  --strict                      results must be the same to the letter, times and other passing parts included
  --skip DIR                    leave DIR out of the copy; may be given several times
  --settings FILE               settings above those of the project and the user, as a file or as JSON
  --no-sandbox                  run commands without a sandbox
  --keep                        keep the copy, and say where it is
  --json                        the report as one object

Exit status: 0 nothing differs; 1 something does, or there is no such session; 2 wrong usage, or a policy that is not
understood`;
