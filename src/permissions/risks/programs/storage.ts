import { hasOption, isSwitchedOn } from '../command-line.js';
import { always, naming, type RiskyProgram } from './form.js';

const deletesRemote = naming(0, 'remote_change', 'high', 'deletes from remote storage');
const uploads = naming(0, 'network', 'high', 'uploads to remote storage');
const asks = naming(0, 'network', 'notable', 'asks remote storage');

export const storage: readonly RiskyProgram[] = [
  {
    names: 'rclone',
    forms: [
      {
        on: /^(delete|deletefile|purge|rmdir|rmdirs|cleanup|dedupe|sync|bisync|move|moveto)\b/,
        when: (line) => !isSwitchedOn(line, 'dry-run', 'n'),
        risk: deletesRemote,
      },
      { on: /^config\b/, risk: always('secrets', 'high', 'reads or changes credentials') },
      { on: /^(copy|copyto|copyurl|rcat|mkdir|touch|link)\b/, risk: uploads },
      { on: /^serve\b/, risk: always('network', 'high', 'lets other machines reach files of this one') },
      { risk: asks },
    ],
  },
  {
    names: 'mc s3cmd s4cmd s5cmd b2 azcopy',
    forms: [
      { on: /^(\S+ )?(rm|rb|del|delete\S*|remove|mv|purge|hide-file|undo)\b/, risk: deletesRemote },
      {
        on: /^(sync|mirror)\b/,
        when: (line) => hasOption(line, /^--(delete\S*|remove|overwrite)/),
        risk: deletesRemote,
      },
      { on: /^(put|cp|copy|sync|mirror|pipe|upload\S*|mb|make\S*|create\S*|setacl|policy|anonymous)\b/, risk: uploads },
      { risk: asks },
    ],
  },
  {
    names: 'oci ibmcloud scw aliyun tccli openstack nova civo vultr-cli exo upcloud',
    forms: [
      {
        on: /(^| )(\S*-)?(delete|terminate|remove|rm|destroy|purge|stop)\b/,
        risk: naming(0, 'remote_change', 'high', 'deletes in the cloud account'),
      },
      {
        on: /(^| )(list|get|show|describe|ls|info|help)\b/,
        risk: naming(0, 'network', 'notable', 'asks the cloud account'),
      },
      { risk: naming(0, 'remote_change', 'high', 'changes the cloud account') },
    ],
  },
  {
    names: 'vagrant kind minikube k3d eksctl multipass lxc incus limactl colima virsh kops talosctl microk8s',
    forms: [
      {
        on: /(^| )(destroy|delete|undefine|purge|prune|reset|rm|remove|vol-delete|kubernetes-reset)\b/,
        risk: naming(0, 'deletes', 'high', 'deletes machines or clusters with their data'),
      },
    ],
  },
  {
    names: 'packer nomad consul etcdctl kafka-topics kafka-topics.sh rabbitmqctl argocd flux',
    forms: [
      {
        on: /(^| )(delete\S*|del|stop|purge|uninstall|reset|kv delete|job stop|topic delete)\b/,
        risk: naming(0, 'remote_change', 'high', 'deletes on another system'),
      },
      {
        when: (line) => hasOption(line, /^--delete$/),
        risk: naming(0, 'remote_change', 'high', 'deletes on another system'),
      },
      {
        on: /^(build|apply|run|put|kv put|job run|app sync|sync|create|set|bootstrap|reconcile)\b/,
        risk: naming(0, 'remote_change', 'high', 'changes another system'),
      },
    ],
  },
  {
    names: 'zfs btrfs bcachefs lvchange lvreduce vgreduce xfs_repair',
    forms: [
      {
        on: /^(list|get|subvolume (list|show)|filesystem (show|df|usage)|device stats)\b/,
        risk: () => undefined,
      },
      { risk: naming(0, 'privileges', 'high', 'changes disks, and can erase them') },
    ],
  },
];
