import { resilientModelNamed } from '../agent/resilient-model.js';
import type { UsageByModel } from '../agent/usage-by-model.js';
import type { Model } from '../contract/model.js';
import type { SideModel } from '../contract/web.js';
import type { FullAgentOptions } from './options.js';

/** The models of an agent: its own, those of its child agents, and the one for small tasks. */
export class OpenModels {
  readonly #options: FullAgentOptions;
  readonly #model: Model;
  readonly #open: Set<Model>;
  readonly #budgeted: (model: Model) => Model;

  /** `budgeted` wraps a model so that its requests count. The model of the agent is wrapped already. */
  constructor(model: Model, options: FullAgentOptions, budgeted: (model: Model) => Model) {
    this.#budgeted = budgeted;
    this.#options = options;
    this.#model = model;
    this.#open = new Set([model]);
  }

  /** Closes the connections of all models. */
  release(): void {
    for (const model of this.#open) model.release?.();
  }

  /** The model of a child agent. */
  async ofChild(name: string | undefined): Promise<Model> {
    const { settings, childModel } = this.#options;
    const meant = name === undefined ? undefined : (settings?.current.agentModels.get(name)?.value ?? name);
    if (childModel) return this.#opened(await childModel(meant));
    return meant === undefined ? this.#model : this.#opened(await resilientModelNamed(meant, this.#options));
  }

  /** Undefined unless a model for small tasks is configured: the model of the conversation is too expensive for them. */
  side(used: UsageByModel): SideModel | undefined {
    const { env = process.env, settings, sideModel: given } = this.#options;
    const name = settings?.current.smallModel?.value ?? env['HELVE_SMALL_MODEL']?.trim();
    if (!given && !name) return undefined;
    const choose = async (): Promise<Model> =>
      this.#opened(await (given?.() ?? resilientModelNamed(name, this.#options)));
    let model: SideModel | undefined;
    return {
      async answer(question, text, signal) {
        const { sideModel } = await import('../agent/side-model.js');
        model ??= sideModel({ choose, used: (one, usage) => used.add(one, usage) });
        return await model.answer(question, text, signal);
      },
    };
  }

  /** A model of the conversation for small tasks, where none is configured and the task can't be left out. */
  aside(model: Model, used: UsageByModel): SideModel {
    return {
      async answer(question, text, signal) {
        const { sideModel } = await import('../agent/side-model.js');
        const aside = sideModel({ choose: async () => model, used: (one, usage) => used.add(one, usage) });
        return await aside.answer(question, text, signal);
      },
    };
  }

  #opened(model: Model): Model {
    this.#open.add(model);
    return this.#budgeted(model);
  }
}
