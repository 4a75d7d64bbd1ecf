// The sessions of a fleet, as what is behind `helve serve --database`.
import { FleetAgent } from '../../acp/fleet/fleet-agent.js';
import { pairedTransports } from '../../acp/paired-transports.js';
import { FleetServer } from '../../fleet/served/fleet-server.js';
import { messageOf } from '../../platform/message-of.js';
import type { BackEnd } from '../../serve/back-end.js';
import { openFleet } from '../worker.js';

export interface FleetBackEndOptions {
  /** The flags that name the database. */
  values: Parameters<typeof openFleet>[0];
  version: string;
  tell(sentence: string): void;
}

export interface FleetBackEnd extends BackEnd {
  close(): Promise<void>;
}

export async function fleetBackEnd({ values, version, tell }: FleetBackEndOptions): Promise<FleetBackEnd> {
  const { database, url, seal } = await openFleet(values);
  const server = new FleetServer({ url, database, seal, onProblem: tell });
  return {
    hasProjects: true,
    async connect() {
      const [ours, theirs] = pairedTransports();
      const agent = new FleetAgent(theirs, { server, version, onProblem: tell });
      void agent
        .serve()
        .catch((error: unknown) => tell(messageOf(error)))
        .finally(() => ours.close());
      return ours;
    },
    caller: () => ({}),
    sessionStates: async () => await server.list.states(),
    async close() {
      await server.close();
      await database.end();
    },
  };
}
