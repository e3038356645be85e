import type { PersistentVolume, PersistentVolumeClaim } from '@kube-informer/kubernetes/v1';
import { defined } from 'kube-informer/core';
import type { ControllerHost, Stop } from '../common/controller-host.ts';
import { controllerEvents } from '../common/controller-events.ts';
import { reconcileKeyNow } from '../common/reconcile-key.ts';
import { typedResource } from '../common/typed-resource.ts';

/** Creates a volume for every claim at once, whatever its class, and deletes the volume with the claim. Claims that name a volume are bound to it. */
export function startVolumeBinder(host: ControllerHost): Stop {
  const claims = typedResource<PersistentVolumeClaim>(host, '', 'persistentvolumeclaims');
  const volumes = typedResource<PersistentVolume>(host, '', 'persistentvolumes');
  const record = controllerEvents(host, 'persistentvolume-controller');

  const sync = (namespace: string, name: string): number | undefined => {
    const found = claims.get(namespace, name);
    if (found === undefined || found.metadata?.deletionTimestamp !== undefined) {
      for (const volume of volumes.list()) if (bindsVolumeOfGoneClaim(volume, namespace, name, found)) volumes.remove(volume);
      return undefined;
    }
    if (found.status?.phase === 'Bound') return undefined;
    const { uid = '' } = found.metadata ?? {};
    const { accessModes = [], resources, storageClassName = '', volumeMode, volumeName = '' } = found.spec ?? {};
    const capacity = { storage: resources?.requests?.['storage'] ?? '1Gi' };
    const volume = volumeName === '' ? `pvc-${uid}` : volumeName;
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid };
    if (volumeName === '' && volumes.get('', volume) === undefined) {
      const created = volumes.create({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: volume, annotations: { [PROVISIONER]: 'kube-informer.dev/fake' } },
        spec: { accessModes, capacity, claimRef, hostPath: { path: `/fake/${volume}` }, persistentVolumeReclaimPolicy: 'Delete', storageClassName, ...defined({ volumeMode }) },
      });
      volumes.updateStatus(created, { phase: 'Bound' });
      record(found, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${volume}`);
    }
    const claim = claims.update({ ...found, spec: { ...found.spec, volumeName: volume } });
    claims.updateStatus(claim, { phase: 'Bound', accessModes, capacity });
    return undefined;
  }; // prettier-ignore
  return reconcileKeyNow(host, { name: 'volumes', group: '', resource: 'persistentvolumeclaims', sync });
}

const PROVISIONER = 'pv.kubernetes.io/provisioned-by';

/** Whether a volume was created for a claim that is gone. */
function bindsVolumeOfGoneClaim({ metadata, spec }: PersistentVolume, namespace: string, name: string, claim: PersistentVolumeClaim | undefined): boolean {
  const isMade = metadata?.annotations?.[PROVISIONER] === 'kube-informer.dev/fake';
  return isMade && claim === undefined && spec?.claimRef?.namespace === namespace && spec.claimRef.name === name;
} // prettier-ignore
