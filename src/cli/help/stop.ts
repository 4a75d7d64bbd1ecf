export const help = `helve stop: interrupt background sessions and close them

  helve stop ID …           by the ids of sessions, or the beginnings of them, or last; helve ps lists them
  helve stop --all          all that are in the background

They are kept: helve attach ID continues one. Prompts that wait in them are dropped.

Options
  --all                     all background sessions

Exit status: 0 success; 1 one can't be stopped; 2 no such session, or one that is not in the background`;
