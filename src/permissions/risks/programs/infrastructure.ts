import { type CommandLine, hasOption } from '../command-line.js';
import { shortened } from '../short-text.js';
import { always, type CommandRisk, naming, publishesPackage, type RiskyProgram } from './form.js';
import { inCluster, ofInfrastructure, onEngine } from './remote-places.js';

const changesCluster = inCluster(0, 'changes the cluster');
const changesCloud = naming(0, 'remote_change', 'high', 'changes the cloud account');
const deploys = always('publishes', 'high', 'deploys for others to use');
const asksCloud = naming(0, 'network', 'notable', 'asks the cloud account');

/** `rm`, `compose down`, `kill`: the operands after the subcommand name containers or images. */
function stopsContainers({ operands }: CommandLine): CommandRisk {
  const [first = '', second = ''] = operands;
  const isTwo = /^(compose|container|image)$/.test(first);
  const act = isTwo ? second : first;
  const names = shortened(operands.slice(isTwo ? 2 : 1).join(' '));
  const thing =
    first === 'compose' || act === 'down'
      ? 'the containers of this project'
      : /^rmi$|image/.test(act + first)
        ? 'images'
        : 'containers';
  const verb = /^(rm|rmi)$/.test(act) ? 'deletes' : act === 'down' ? 'stops and deletes' : 'stops';
  return { kind: 'deletes', level: 'notable', text: `${verb} ${thing}${names === '' ? '' : `: ${names}`}` };
}

const pruned: Readonly<Record<string, string>> = {
  volume: 'volumes with their data',
  image: 'images',
  container: 'stopped containers with their files',
  network: 'networks',
  builder: 'build caches',
};

/** What `docker system prune` and its relatives delete. */
function prunedWords(line: CommandLine): string {
  const [what = ''] = line.operands;
  const one = Object.hasOwn(pruned, what) ? pruned[what] : undefined;
  if (one !== undefined) return `deletes all unused ${one}`.replace('unused stopped', 'stopped');
  const volumes = hasOption(line, /^--volumes$/) ? ', and volumes with their data' : '';
  return `deletes all stopped containers, unused networks and images${volumes}`;
}

export const infrastructure: readonly RiskyProgram[] = [
  {
    names: 'kubectl oc k3s',
    forms: [
      { on: /^delete\b/, risk: inCluster(1, 'deletes from the cluster') },
      { on: /^drain\b/, risk: inCluster(1, 'moves everything off the node') },
      { on: /^get secrets?\b/, risk: always('secrets', 'high', 'reads secrets of the cluster') },
      {
        on: /^(exec|attach|cp|debug|run|proxy|port-forward)\b/,
        risk: inCluster(1, 'runs something in the cluster'),
      },
      {
        on: /^(apply|create|replace|patch|edit|scale|autoscale|rollout (restart|undo|pause|resume)|cordon|uncordon|taint|label|annotate|set|expose|new-app|new-project|adm|certificate)\b/,
        risk: changesCluster,
      },
      {
        on: /^config (use-context|set|unset|delete)/,
        risk: naming(1, 'startup', 'notable', 'changes which cluster is used'),
      },
      { risk: naming(0, 'network', 'notable', 'asks the cluster') },
    ],
  },
  {
    names: 'helm helmfile',
    forms: [
      { on: /^(uninstall|delete|destroy)\b/, risk: inCluster(1, 'deletes from the cluster') },
      { on: /^(install|upgrade|rollback|apply|sync|test)\b/, risk: changesCluster },
      { on: /^push\b/, risk: publishesPackage },
    ],
  },
  {
    names: 'terraform tofu terragrunt pulumi cdk cdktf sam serverless sls',
    forms: [
      {
        on: /^(run-all )?(destroy|remove|down|delete|workspace delete)\b/,
        risk: ofInfrastructure('destroys', 'the infrastructure that this project describes'),
      },
      {
        on: /^(run-all )?(apply|up|deploy|import|taint|untaint|force-unlock|refresh|state (rm|mv|push|replace-provider)|stack rm|invoke)\b/,
        risk: ofInfrastructure('changes', 'real infrastructure'),
      },
    ],
  },
  {
    names: 'aws',
    forms: [
      {
        on: /^s3 sync\b/,
        when: (line) => hasOption(line, /^--delete$/),
        risk: naming(2, 'remote_change', 'high', 'deletes from S3 what is not in the source'),
      },
      { on: /^s3 (rm|rb)\b/, risk: naming(2, 'remote_change', 'high', 'deletes from S3') },
      {
        on: /^s3 (cp|mv|sync)\b/,
        when: ({ operands }) => /^s3:/.test(operands[3] ?? ''),
        risk: naming(2, 'network', 'high', 'uploads to S3'),
      },
      { on: /^s3 (cp|sync|ls|presign)\b/, risk: naming(2, 'network', 'notable', 'reads from S3') },
      {
        on: /^(secretsmanager get|ssm get-param|sts assume|sts get-session|ecr get-login|configure|sso)/,
        risk: always('secrets', 'high', 'reads or changes credentials'),
      },
      {
        on: /^\S+ (describe|get|list|ls|head|wait|help|lookup|search|query|scan|batch-get|tail|filter-log)/,
        risk: asksCloud,
      },
      { on: /^\S+ \S/, risk: changesCloud },
    ],
  },
  {
    names: 'gcloud az gsutil bq doctl linode-cli hcloud',
    forms: [
      {
        on: /\b(print-access-token|get-access-token|get-credentials|secrets? (show|access|versions access))\b/,
        risk: always('secrets', 'high', 'reads credentials'),
      },
      {
        on: /(^| )(delete|remove|rm|destroy|purge|rb)\b/,
        risk: naming(0, 'remote_change', 'high', 'deletes in the cloud account'),
      },
      { on: /(^| )(deploy|submit)\b/, risk: deploys },
      { on: /(^| )(list|describe|show|ls|info|get|get-value|stat|du|cat|head|version)\b/, risk: asksCloud },
      { risk: changesCloud },
    ],
  },
  {
    names: 'vercel netlify wrangler firebase fly flyctl heroku railway render surge eb now',
    forms: [
      {
        on: /(^| )(destroy|delete|remove|rm|pg:reset|apps:destroy|terminate)\b/,
        risk: naming(0, 'remote_change', 'high', 'deletes what is deployed'),
      },
      { on: /(^| )(list|ls|status|logs|whoami|info|dev|serve|inspect)\b/, risk: asksCloud },
      { risk: deploys },
    ],
  },
  {
    names: 'ansible ansible-playbook puppet chef-client salt',
    forms: [{ risk: always('remote_change', 'high', 'changes other machines') }],
  },
  {
    names: 'docker podman nerdctl docker-compose buildah',
    forms: onEngine([
      {
        on: /^((image|manifest|plugin|compose|artifact) )?(push|publish)\b/,
        risk: naming(1, 'publishes', 'high', 'publishes an image'),
      },
      {
        on: /^((buildx|compose|image|builder) )?build\b|^(buildx )?bake\b/,
        when: (line) => hasOption(line, /^--push$/),
        risk: always('publishes', 'high', 'builds and publishes an image'),
      },
      { on: /^login\b/, risk: always('secrets', 'high', 'changes the login for a registry') },
      {
        on: /^(system|volume|image|container|network|builder) prune\b/,
        risk: (line) => ({ kind: 'deletes', level: 'high', reach: 'outside', text: prunedWords(line) }),
      },
      {
        on: /^(stack rm|swarm leave|service rm|node rm|network rm|secret rm|config rm|machine rm|pod rm|system reset)\b/,
        risk: naming(0, 'deletes', 'high', 'deletes services, networks or machines'),
      },
      { on: /^volume (rm|remove)\b/, risk: naming(2, 'deletes', 'high', 'deletes volumes with their data') },
      {
        on: /^(compose )?down\b/,
        when: (line) => hasOption(line, /^--(volumes|rmi)/, 'v'),
        risk: always('deletes', 'high', 'deletes the containers and the data in their volumes'),
      },
      {
        on: /^(rm|rmi|container rm|image rm|kill|stop|compose (down|rm|kill|stop)|down)\b/,
        risk: stopsContainers,
      },
      {
        on: /^(run|create|exec|container run)\b/,
        when: ({ words }) =>
          words.some((word) =>
            /^--privileged|^--pid=host|^--net(work)?=host|^--cap-add|^--device|docker\.sock/.test(word),
          ) ||
          / --(pid|network|net|ipc|userns) host\b/.test(` ${words.join(' ')}`) ||
          words.some(
            (word, index) =>
              /^(-v|--volume|--mount)$/.test(word) &&
              /^(\/|~|\$HOME|\/(home|Users)\/[^/:]+|\/root|\/etc|\/var|\/usr|.*\/\.(ssh|aws|gnupg|kube|docker))(:|$)/.test(
                words[index + 1] ?? '',
              ),
          ),
        risk: always('privileges', 'high', 'gives a container rights over this machine'),
      },
      {
        on: /^(exec|compose exec|container exec)\b/,
        risk: naming(1, 'remote_change', 'notable', 'runs in a container'),
      },
      {
        on: /^(pull|run|compose (up|pull|build)|build|image pull|container run|up)\b/,
        risk: always('downloaded_code', 'notable', 'may download images and run them'),
      },
    ]),
  },
  {
    names: 'skopeo crane',
    forms: [
      { on: /^(copy|push|delete|sync|tag)\b/, risk: always('publishes', 'high', 'changes images in a registry') },
    ],
  },
];
