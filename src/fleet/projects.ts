// Projects: the tenants of a fleet. What a project may do is kept in the database, and every worker holds its sessions to it.
import { isInside, realPathSync } from '../platform/files/paths.js';
import { type Database, DatabaseProblem, queryWhenUp } from './postgres.js';

export interface FleetProject {
  name: string;
  /** Its sessions work in these folders or below; any folder if there are none. */
  folders: readonly string[];
  /** Or on these repositories: addresses, or the beginning of some that ends with "/". */
  repositories: readonly string[];
  /** "provider/name" of the models that its sessions may use; any if there are none. */
  models: readonly string[];
  /** Rules beside those of the workers. They can only take rights away. */
  deny: readonly string[];
  ask: readonly string[];
  /** How many of its prompts are queued or run at once. */
  running: number | null;
  /** How many prompts it may be sent on a day, in UTC. */
  perDay: number | null;
  /** Of its prompts, unless they have another one. */
  priority: number;
}

export class FleetProjects {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(name: string): Promise<FleetProject | undefined> {
    const [project] = await this.#query(`${SELECT} where name = $1`, [name]);
    return project;
  }

  async list(): Promise<FleetProject[]> {
    return await this.#query(`${SELECT} order by name`, []);
  }

  /** Adds or replaces it. */
  async set({
    name,
    folders,
    repositories,
    models,
    deny,
    ask,
    running,
    perDay,
    priority,
  }: FleetProject): Promise<void> {
    await queryWhenUp(this.#database, {
      text: `insert into helve.project (name, folders, models, deny, ask, running, per_day, priority, repositories)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             on conflict (name) do update set folders = $2, models = $3, deny = $4, ask = $5, running = $6, per_day = $7,
               priority = $8, repositories = $9`,
      values: [name, folders, models, deny, ask, running, perDay, priority, repositories],
    });
  }

  /** False if there is none. Its sessions stay, and may do what the workers may. */
  async remove(name: string): Promise<boolean> {
    const rows = await queryWhenUp(this.#database, {
      text: 'delete from helve.project where name = $1 returning name',
      values: [name],
    });
    return rows.length > 0;
  }

  async #query(text: string, values: unknown[]): Promise<FleetProject[]> {
    const rows = await queryWhenUp<Omit<FleetProject, 'perDay'> & { per_day: number | null }>(this.#database, {
      text,
      values,
    });
    return rows.map(({ per_day: perDay, ...rest }) => ({ ...rest, perDay }));
  }
}

const SELECT = 'select name, folders, repositories, models, deny, ask, running, per_day, priority from helve.project';

/** Where a session works. */
interface SessionPlace {
  root: string;
  repository?: { url: string } | undefined;
}

/** Throws if the project may not work there. `resolves`: links in a folder are followed, where it exists. */
export function assertPlace(
  project: FleetProject | undefined,
  { root, repository }: SessionPlace,
  { resolves = false }: { resolves?: boolean } = {},
): void {
  if (!project) return;
  const { name, folders, repositories } = project;
  if (folders.length + repositories.length === 0) return;
  if (repository ? isAmong(repository.url, repositories) : isBelow(root, folders, resolves)) return;
  throw new DatabaseProblem(
    `The project ${name} may work in ${[...folders, ...repositories].join(', ')}, but not in ${repository?.url ?? root}. Choose one of them, or change the project with helve fleet projects set.`,
  );
}

const isAmong = (url: string, repositories: readonly string[]): boolean =>
  repositories.some((one) => url === one || (one.endsWith('/') && url.startsWith(one) && !url.includes('/..')));

function isBelow(root: string, folders: readonly string[], resolves: boolean): boolean {
  if (root === '' || folders.length === 0) return false;
  const real = resolves ? realPathSync(root) : root;
  const allowed = resolves ? folders.flatMap(realOf) : folders;
  return allowed.some((folder) => isInside(folder, real));
}

/** None if it does not exist here. */
function realOf(folder: string): string[] {
  try {
    return [realPathSync(folder)];
  } catch {
    return [];
  }
}

/** Throws if the project may not use the model. */
export function assertModel(project: FleetProject | undefined, model: string): void {
  if (!project || project.models.length === 0 || project.models.includes(model)) return;
  throw new DatabaseProblem(
    `The project ${project.name} may use ${project.models.join(', ')}, but this worker has ${model}. Start a worker with --model and one of them, or change the project with helve fleet projects set.`,
  );
}

/** As managed settings of its sessions; undefined if it has no rules. */
export function policyOf(project: FleetProject | undefined): string | undefined {
  if (!project || project.deny.length + project.ask.length === 0) return undefined;
  return JSON.stringify({ permissions: { deny: project.deny, ask: project.ask } });
}
