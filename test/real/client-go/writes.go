package main

import (
	"context"
	"fmt"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
)

// what a write came to, one line each.
type outcome struct {
	Step   string `json:"step"`
	Object any    `json:"object,omitempty"`
	Error  string `json:"error,omitempty"`
}

// object is what every generated client gives and takes.
type object interface {
	meta.Object
	runtime.Object
}

// client is the part of a generated client that all kinds have.
type client[T object] interface {
	Create(context.Context, T, meta.CreateOptions) (T, error)
	Update(context.Context, T, meta.UpdateOptions) (T, error)
	Get(context.Context, string, meta.GetOptions) (T, error)
	Patch(context.Context, string, types.PatchType, []byte, meta.PatchOptions, ...string) (T, error)
	Delete(context.Context, string, meta.DeleteOptions) error
	DeleteCollection(context.Context, meta.DeleteOptions, meta.ListOptions) error
}

var ctx = context.Background()

func say(step string, made any, err error) {
	if err != nil {
		answer(outcome{Step: step, Error: err.Error()})
		return
	}
	answer(outcome{Step: step, Object: made})
}

// life takes an object through all that a client can do to it, with protobuf bodies wherever a kind has them.
func life[T object](kind string, c client[T], fresh T) {
	made, err := c.Create(ctx, fresh, meta.CreateOptions{})
	say("create "+kind, made, err)
	if err != nil {
		return
	}
	_, err = c.Create(ctx, fresh, meta.CreateOptions{})
	say("create again "+kind, errors.IsAlreadyExists(err), nil)
	stale := made.DeepCopyObject().(T)
	made.SetLabels(map[string]string{"updated": "yes"})
	made, err = c.Update(ctx, made, meta.UpdateOptions{})
	say("update "+kind, made, err)
	stale.SetLabels(map[string]string{"updated": "late"})
	_, err = c.Update(ctx, stale, meta.UpdateOptions{})
	say("update stale "+kind, errors.IsConflict(err), nil)
	made, err = c.Patch(ctx, fresh.GetName(), types.MergePatchType,
		[]byte(`{"metadata":{"annotations":{"patched":"yes"}}}`), meta.PatchOptions{FieldManager: "patcher"})
	say("patch "+kind, made, err)
	made, err = c.Get(ctx, fresh.GetName(), meta.GetOptions{})
	say("get "+kind, made, err)
	say("delete "+kind, true, c.Delete(ctx, fresh.GetName(), meta.DeleteOptions{}))
	_, err = c.Get(ctx, fresh.GetName(), meta.GetOptions{})
	say("get deleted "+kind, errors.IsNotFound(err), nil)
}

func writes(ns string) {
	bodies := config(runtime.ContentTypeProtobuf)
	// Answers are compared as the server writes them: a protobuf answer leaves out kinds that are part of an object.
	bodies.AcceptContentTypes = runtime.ContentTypeJSON
	k := kubernetes.NewForConfigOrDie(bodies)
	name := func(s string) meta.ObjectMeta { return meta.ObjectMeta{Name: s} }
	of := func(v int32) *int32 { return &v }
	app := map[string]string{"app": "x"}
	selector := &meta.LabelSelector{MatchLabels: app}
	pod := core.PodSpec{Containers: []core.Container{{
		Name: "main", Image: "main:1", Args: []string{"a"},
		Env:            []core.EnvVar{{Name: "N", ValueFrom: &core.EnvVarSource{FieldRef: &core.ObjectFieldSelector{FieldPath: "metadata.name"}}}},
		Ports:          []core.ContainerPort{{Name: "http", ContainerPort: 80}},
		Resources:      core.ResourceRequirements{Requests: core.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("1Gi")}},
		VolumeMounts:   []core.VolumeMount{{Name: "data", MountPath: "/data"}},
		ReadinessProbe: &core.Probe{ProbeHandler: core.ProbeHandler{HTTPGet: &core.HTTPGetAction{Path: "/", Port: intstr.FromString("http")}}},
	}}, Volumes: []core.Volume{{Name: "data", VolumeSource: core.VolumeSource{EmptyDir: &core.EmptyDirVolumeSource{}}}}}
	once := *pod.DeepCopy()
	once.RestartPolicy = core.RestartPolicyNever
	template := core.PodTemplateSpec{ObjectMeta: meta.ObjectMeta{Labels: app}, Spec: pod}
	job := batch.JobSpec{Template: core.PodTemplateSpec{Spec: once}}
	path := networking.PathTypePrefix
	port := intstr.FromInt32(80)
	half := intstr.FromString("50%")
	gigabyte := core.ResourceList{"storage": resource.MustParse("1Gi")}
	claim := core.PersistentVolumeClaimSpec{AccessModes: []core.PersistentVolumeAccessMode{core.ReadWriteOnce}, Resources: core.VolumeResourceRequirements{Requests: gigabyte}}

	c, a := k.CoreV1(), k.AppsV1()
	life("configmap", c.ConfigMaps(ns), &core.ConfigMap{ObjectMeta: name("c"), Data: map[string]string{"a": "1"}, BinaryData: map[string][]byte{"b": {0, 255}}})
	life("secret", c.Secrets(ns), &core.Secret{ObjectMeta: name("s"), StringData: map[string]string{"a": "1"}, Data: map[string][]byte{"b": {1}}})
	life("pod", c.Pods(ns), &core.Pod{ObjectMeta: name("p"), Spec: pod})
	life[*core.ServiceAccount]("serviceaccount", c.ServiceAccounts(ns), &core.ServiceAccount{ObjectMeta: name("sa")})
	life("replicationcontroller", c.ReplicationControllers(ns), &core.ReplicationController{ObjectMeta: name("rc"), Spec: core.ReplicationControllerSpec{Replicas: of(0), Selector: app, Template: &template}})
	life("pvc", c.PersistentVolumeClaims(ns), &core.PersistentVolumeClaim{ObjectMeta: meta.ObjectMeta{Name: "pvc"}, Spec: claim})
	life("pv", c.PersistentVolumes(), &core.PersistentVolume{ObjectMeta: name("go-pv"), Spec: core.PersistentVolumeSpec{Capacity: gigabyte, AccessModes: claim.AccessModes, PersistentVolumeSource: core.PersistentVolumeSource{HostPath: &core.HostPathVolumeSource{Path: "/x"}}}})
	life("node", c.Nodes(), &core.Node{ObjectMeta: name("go-node"), Spec: core.NodeSpec{Taints: []core.Taint{{Key: "a", Effect: core.TaintEffectNoSchedule}}}})
	life("resourcequota", c.ResourceQuotas(ns), &core.ResourceQuota{ObjectMeta: name("q"), Spec: core.ResourceQuotaSpec{Hard: core.ResourceList{"secrets": resource.MustParse("50")}}})
	life("event", c.Events(ns), &core.Event{ObjectMeta: name("e"), InvolvedObject: core.ObjectReference{Kind: "Pod", Name: "p", Namespace: ns}, Reason: "R", Count: 1})
	life("deployment", a.Deployments(ns), &apps.Deployment{ObjectMeta: name("d"), Spec: apps.DeploymentSpec{Replicas: of(3), Selector: selector, Template: template}})
	life("replicaset", a.ReplicaSets(ns), &apps.ReplicaSet{ObjectMeta: name("rs"), Spec: apps.ReplicaSetSpec{Selector: selector, Template: template}})
	life("statefulset", a.StatefulSets(ns), &apps.StatefulSet{ObjectMeta: name("ss"), Spec: apps.StatefulSetSpec{ServiceName: "x", Selector: selector, Template: template, VolumeClaimTemplates: []core.PersistentVolumeClaim{{ObjectMeta: name("v"), Spec: claim}}}})
	life("daemonset", a.DaemonSets(ns), &apps.DaemonSet{ObjectMeta: name("ds"), Spec: apps.DaemonSetSpec{Selector: selector, Template: template}})
	life("controllerrevision", a.ControllerRevisions(ns), &apps.ControllerRevision{ObjectMeta: name("cr"), Revision: 2, Data: runtime.RawExtension{Raw: []byte(`{"a":1}`)}})
	life("job", k.BatchV1().Jobs(ns), &batch.Job{ObjectMeta: name("j"), Spec: job})
	life("cronjob", k.BatchV1().CronJobs(ns), &batch.CronJob{ObjectMeta: name("cj"), Spec: batch.CronJobSpec{Schedule: "* * * * *", JobTemplate: batch.JobTemplateSpec{Spec: job}}})
	life("ingress", k.NetworkingV1().Ingresses(ns), &networking.Ingress{ObjectMeta: name("i"), Spec: networking.IngressSpec{Rules: []networking.IngressRule{{Host: "example.com", IngressRuleValue: networking.IngressRuleValue{HTTP: &networking.HTTPIngressRuleValue{Paths: []networking.HTTPIngressPath{{Path: "/", PathType: &path, Backend: networking.IngressBackend{Service: &networking.IngressServiceBackend{Name: "s", Port: networking.ServiceBackendPort{Number: 80}}}}}}}}}}})
	life("networkpolicy", k.NetworkingV1().NetworkPolicies(ns), &networking.NetworkPolicy{ObjectMeta: name("np"), Spec: networking.NetworkPolicySpec{PodSelector: *selector, Ingress: []networking.NetworkPolicyIngressRule{{Ports: []networking.NetworkPolicyPort{{Port: &port}}}}}})
	life("pdb", k.PolicyV1().PodDisruptionBudgets(ns), &policy.PodDisruptionBudget{ObjectMeta: name("pdb"), Spec: policy.PodDisruptionBudgetSpec{MinAvailable: &half, Selector: selector}})
	life("hpa", k.AutoscalingV2().HorizontalPodAutoscalers(ns), &autoscaling.HorizontalPodAutoscaler{ObjectMeta: name("h"), Spec: autoscaling.HorizontalPodAutoscalerSpec{MaxReplicas: 3, ScaleTargetRef: autoscaling.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "d"}}})
	life("role", k.RbacV1().Roles(ns), &rbac.Role{ObjectMeta: name("r"), Rules: []rbac.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}})
	life("rolebinding", k.RbacV1().RoleBindings(ns), &rbac.RoleBinding{ObjectMeta: name("rb"), RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "Role", Name: "r"}, Subjects: []rbac.Subject{{Kind: "User", APIGroup: rbac.GroupName, Name: "ann"}}})
	life("lease", k.CoordinationV1().Leases(ns), &coordination.Lease{ObjectMeta: name("l"), Spec: coordination.LeaseSpec{LeaseDurationSeconds: of(15), RenewTime: &meta.MicroTime{Time: meta.Unix(1700000000, 5000).Time}}})
	life("endpointslice", k.DiscoveryV1().EndpointSlices(ns), &discovery.EndpointSlice{ObjectMeta: name("es"), AddressType: discovery.AddressTypeIPv4, Endpoints: []discovery.Endpoint{{Addresses: []string{"10.1.1.1"}}}})
	life("priorityclass", k.SchedulingV1().PriorityClasses(), &scheduling.PriorityClass{ObjectMeta: name("go-high"), Value: 5})
	life("storageclass", k.StorageV1().StorageClasses(), &storage.StorageClass{ObjectMeta: name("go-fast"), Provisioner: "example.com/x"})
	more(k, ns, pod)
}

// more is what only some kinds have: addresses, status, scale, eviction, apply, collections.
func more(k *kubernetes.Clientset, ns string, spec core.PodSpec) {
	c := k.CoreV1()
	service, err := c.Services(ns).Create(ctx, &core.Service{ObjectMeta: meta.ObjectMeta{Name: "s"}, Spec: core.ServiceSpec{Type: core.ServiceTypeNodePort, Selector: map[string]string{"app": "x"}, Ports: []core.ServicePort{{Port: 80, TargetPort: intstr.FromString("http")}}}}, meta.CreateOptions{})
	say("create service", service, err)
	say("delete service", true, c.Services(ns).Delete(ctx, "s", meta.DeleteOptions{}))

	pod, err := c.Pods(ns).Create(ctx, &core.Pod{ObjectMeta: meta.ObjectMeta{GenerateName: "made-", Labels: map[string]string{"sweep": "yes"}}, Spec: spec}, meta.CreateOptions{})
	say("generate a name", pod.GetName() != "", err)
	pod.Status.Phase = core.PodRunning
	pod.Status.Conditions = []core.PodCondition{{Type: core.PodReady, Status: core.ConditionTrue, LastTransitionTime: meta.Unix(1700000000, 0)}}
	pod, err = c.Pods(ns).UpdateStatus(ctx, pod, meta.UpdateOptions{})
	say("update status", pod.Status, err)
	say("bind", true, c.Pods(ns).Bind(ctx, &core.Binding{ObjectMeta: meta.ObjectMeta{Name: pod.Name}, Target: core.ObjectReference{Kind: "Node", Name: "go-node"}}, meta.CreateOptions{}))
	bound, err := c.Pods(ns).Get(ctx, pod.Name, meta.GetOptions{})
	say("bound", bound.Spec.NodeName, err)
	say("evict", true, c.Pods(ns).EvictV1(ctx, &policy.Eviction{ObjectMeta: meta.ObjectMeta{Name: pod.Name}}))
	zero := int64(0)
	say("delete collection", true, c.Pods(ns).DeleteCollection(ctx, meta.DeleteOptions{GracePeriodSeconds: &zero}, meta.ListOptions{LabelSelector: "sweep=yes"}))
	pods, err := c.Pods(ns).List(ctx, meta.ListOptions{})
	say("list", len(pods.Items), err)

	applied, err := c.ConfigMaps(ns).Apply(ctx, applycore.ConfigMap("applied", ns).WithData(map[string]string{"a": "1"}), meta.ApplyOptions{FieldManager: "one"})
	say("apply", applied, err)
	_, err = c.ConfigMaps(ns).Apply(ctx, applycore.ConfigMap("applied", ns).WithData(map[string]string{"a": "2"}), meta.ApplyOptions{FieldManager: "two"})
	say("apply with a conflict", fmt.Sprint(err), nil)

	replicas := int32(1)
	deployments := k.AppsV1().Deployments(ns)
	labels := map[string]string{"app": "x"}
	made, err := deployments.Create(ctx, &apps.Deployment{ObjectMeta: meta.ObjectMeta{Name: "scaled"}, Spec: apps.DeploymentSpec{Replicas: &replicas, Selector: &meta.LabelSelector{MatchLabels: labels}, Template: core.PodTemplateSpec{ObjectMeta: meta.ObjectMeta{Labels: labels}, Spec: spec}}}, meta.CreateOptions{})
	say("create scaled", made.Spec.Replicas, err)
	scale, err := deployments.GetScale(ctx, "scaled", meta.GetOptions{})
	say("get scale", scale, err)
	scale.Spec.Replicas = 4
	scale, err = deployments.UpdateScale(ctx, "scaled", scale, meta.UpdateOptions{})
	say("update scale", scale, err)
	say("delete scaled", true, deployments.Delete(ctx, "scaled", meta.DeleteOptions{}))

	_, err = c.ConfigMaps(ns).Create(ctx, &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: "Bad_Name"}}, meta.CreateOptions{})
	say("create with a bad name", fmt.Sprint(err), nil)
	_, err = c.ConfigMaps("missing").Create(ctx, &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: "x"}}, meta.CreateOptions{})
	say("create nowhere", fmt.Sprint(err), nil)
	_, err = c.ConfigMaps(ns).Get(ctx, "nothing", meta.GetOptions{})
	say("get nothing", fmt.Sprint(err), nil)
	version, err := k.Discovery().ServerVersion()
	say("version", version.Major+"."+version.Minor, err)
}
