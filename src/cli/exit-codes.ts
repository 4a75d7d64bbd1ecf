/** The comments here are a table of docs/command-line.md. */
export const exitCode = {
  /** Success. */
  ok: 0,
  /** The run did not complete, a call failed, there is no such session, the demo failed, or `doctor` found something broken; also an error that should not have happened. */
  failed: 1,
  /** Wrong usage, no model set up, settings or a `models.json` that are not understood, too old a Node, or a Helve that is not built. */
  usage: 2,
  /** Ended by SIGHUP. */
  hungUp: 129,
  /** Ended by SIGINT, as by Ctrl-C. */
  interrupted: 130,
  /** Ended by SIGTERM. */
  terminated: 143,
} as const;
