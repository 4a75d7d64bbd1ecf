/** A workspace can't be made, kept or given out. The message says why and what to do next. */
export class WorkspaceProblem extends Error {
  override readonly name = 'WorkspaceProblem';
}
