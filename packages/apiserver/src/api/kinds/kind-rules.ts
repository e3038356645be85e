import {
  mutatingBindingRules,
  mutatingPolicyRules,
  validatingBindingRules,
  validatingPolicyRules,
} from './admission/policy-errors.ts';
import { mutatingWebhookRules, validatingWebhookRules } from './admission/webhook-errors.ts';
import { certificateRequestRules } from './cluster/certificate-request-errors.ts';
import {
  apiServiceRules,
  flowSchemaRules,
  leaseRules,
  limitRangeRules,
  nodeRules,
  resourceClaimRules,
  resourceClaimTemplateRules,
  resourceSliceRules,
  runtimeClassRules,
} from './cluster/cluster-errors.ts';
import { eventRules, newEventRules } from './cluster/event-errors.ts';
import { namespaceRules } from './cluster/namespace-finalizer.ts';
import { priorityClassRules, priorityLevelRules } from './cluster/priority.ts';
import {
  clusterRoleBindingRules,
  clusterRoleRules,
  namespacedRoleRules,
  roleBindingRules,
} from './cluster/rbac-kinds.ts';
import type { KindRules } from './common/kind-rule.ts';
import { definitionRules } from './definition/definition-errors.ts';
import { endpointSliceRules, endpointsRules } from './network/endpoint-errors.ts';
import { ingressClassRules, ingressRules } from './network/ingress.ts';
import { networkPolicyRules } from './network/network-policy.ts';
import { serviceRules } from './network/service.ts';
import { podRules, podTemplateRules } from './pod/pod-errors.ts';
import { configMapRules, secretRules } from './storage/config-errors.ts';
import {
  csiDriverRules,
  persistentVolumeClaimRules,
  persistentVolumeRules,
  storageClassRules,
  volumeAttachmentRules,
  volumeAttributesClassRules,
} from './storage/volume-errors.ts';
import { autoscalerRules, disruptionBudgetRules, oldAutoscalerRules } from './workload/autoscaling.ts';
import { cronJobRules, jobRules } from './workload/job-errors.ts';
import {
  controllerRevisionRules,
  daemonSetRules,
  deploymentRules,
  replicaSetRules,
  replicationControllerRules,
  statefulSetRules,
} from './workload/workload-errors.ts';

/**
 * Rules by `group/resource`, or `group/resource/version` where versions differ. A kind that is not here has no rules of
 * its own.
 */
export const KIND_RULES: ReadonlyMap<string, KindRules> = new Map<string, KindRules>([
  ['/configmaps', configMapRules],
  ['/endpoints', endpointsRules],
  ['/events', eventRules],
  ['/limitranges', limitRangeRules],
  ['/namespaces', namespaceRules],
  ['/nodes', nodeRules],
  ['/persistentvolumeclaims', persistentVolumeClaimRules],
  ['/persistentvolumes', persistentVolumeRules],
  ['/pods', podRules],
  ['/podtemplates', podTemplateRules],
  ['/replicationcontrollers', replicationControllerRules],
  ['/secrets', secretRules],
  ['/services', serviceRules],
  ['admissionregistration.k8s.io/mutatingadmissionpolicies', mutatingPolicyRules],
  ['admissionregistration.k8s.io/mutatingadmissionpolicybindings', mutatingBindingRules],
  ['admissionregistration.k8s.io/mutatingwebhookconfigurations', mutatingWebhookRules],
  ['admissionregistration.k8s.io/validatingadmissionpolicies', validatingPolicyRules],
  ['admissionregistration.k8s.io/validatingadmissionpolicybindings', validatingBindingRules],
  ['admissionregistration.k8s.io/validatingwebhookconfigurations', validatingWebhookRules],
  ['apiextensions.k8s.io/customresourcedefinitions', definitionRules],
  ['apiregistration.k8s.io/apiservices', apiServiceRules],
  ['apps/controllerrevisions', controllerRevisionRules],
  ['apps/daemonsets', daemonSetRules],
  ['apps/deployments', deploymentRules],
  ['apps/replicasets', replicaSetRules],
  ['apps/statefulsets', statefulSetRules],
  ['autoscaling/horizontalpodautoscalers', autoscalerRules],
  ['autoscaling/horizontalpodautoscalers/v1', oldAutoscalerRules],
  ['batch/cronjobs', cronJobRules],
  ['batch/jobs', jobRules],
  ['certificates.k8s.io/certificatesigningrequests', certificateRequestRules],
  ['coordination.k8s.io/leases', leaseRules],
  ['discovery.k8s.io/endpointslices', endpointSliceRules],
  ['events.k8s.io/events', newEventRules],
  ['flowcontrol.apiserver.k8s.io/flowschemas', flowSchemaRules],
  ['flowcontrol.apiserver.k8s.io/prioritylevelconfigurations', priorityLevelRules],
  ['networking.k8s.io/ingressclasses', ingressClassRules],
  ['networking.k8s.io/ingresses', ingressRules],
  ['networking.k8s.io/networkpolicies', networkPolicyRules],
  ['node.k8s.io/runtimeclasses', runtimeClassRules],
  ['policy/poddisruptionbudgets', disruptionBudgetRules],
  ['rbac.authorization.k8s.io/clusterrolebindings', clusterRoleBindingRules],
  ['rbac.authorization.k8s.io/clusterroles', clusterRoleRules],
  ['rbac.authorization.k8s.io/rolebindings', roleBindingRules],
  ['rbac.authorization.k8s.io/roles', namespacedRoleRules],
  ['resource.k8s.io/resourceclaims', resourceClaimRules],
  ['resource.k8s.io/resourceclaimtemplates', resourceClaimTemplateRules],
  ['resource.k8s.io/resourceslices', resourceSliceRules],
  ['scheduling.k8s.io/priorityclasses', priorityClassRules],
  ['storage.k8s.io/csidrivers', csiDriverRules],
  ['storage.k8s.io/storageclasses', storageClassRules],
  ['storage.k8s.io/volumeattachments', volumeAttachmentRules],
  ['storage.k8s.io/volumeattributesclasses', volumeAttributesClassRules],
]);
