// Which sessions of a fleet a client may see: those of the project of its token, or all.
import type { FleetServer } from '../../fleet/served/fleet-server.js';
import type { FleetRow } from '../../fleet/served/session-list.js';
import { RpcError, type RpcParams, rpcCodes } from '../json-rpc.js';
import { type ClientIdentity, readSessionId, shown } from '../read-params.js';

/** Rejects if there is no such session, or it is of another project. */
export async function rowOf(server: FleetServer, params: RpcParams, identity: ClientIdentity): Promise<FleetRow> {
  const id = readSessionId(params);
  const row = await knownRow(server, id, identity);
  if (row) return row;
  throw new RpcError(rpcCodes.notFound, `There is no session ${shown(id)}. _helve/sessions/list has those there are.`);
}

/** Undefined if there is no such session. Rejects if it is of another project, as if it had another owner. */
export async function knownRow(
  { list }: FleetServer,
  id: string,
  { project }: ClientIdentity,
): Promise<FleetRow | undefined> {
  const [row] = await list.rows([id]);
  if (!row || project === undefined || row.project === project) return row;
  throw new RpcError(rpcCodes.notFound, `There is no session ${shown(id)} in the project ${shown(project)}.`);
}

/** A method that has no meaning in a fleet. */
export const notInFleet = (what: string, next: string): RpcError =>
  new RpcError(rpcCodes.invalidRequest, `${what} ${next}`);
