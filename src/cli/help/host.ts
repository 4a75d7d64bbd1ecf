export const help = `helve host: the process that runs background sessions

  helve host [status]       whether one runs, its version, and how many sessions have work
  helve host stop           interrupt all sessions and end it; the next helve bg starts another

It starts when it is needed, and ends five minutes after its last work. Its log is host/host.log in the data folder.

Exit status: 0 success, 1 it can't be reached, 2 wrong usage`;
