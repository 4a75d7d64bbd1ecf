export const help = `helve ps: list the sessions of this machine, with what each does now

  helve ps                  those that wait for you come first

It lists the sessions of terminals, of helve -p and of editors while they run; and those of the background, also for a day
after their last work. A session is: waiting for you, running, failed, interrupted (its process was ended in the middle of
its work; helve attach ID continues it), or idle.

Options
  --all                     background sessions of any age
  --json                    one JSON object a line

Exit status: 0 success, 2 wrong usage`;
