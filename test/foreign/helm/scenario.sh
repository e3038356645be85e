#!/usr/bin/env bash
# Plays the life of a release with helm and prints one line for each promise: "ok <what>" or "not ok <what>".
# MOVES=yes: the server runs controllers, so helm waits, and runs jobs and pods.
set -uo pipefail
cd "$(dirname "$0")"
out=$(mktemp)
home=$(mktemp -d)
export HELM_CACHE_HOME=$home HELM_CONFIG_HOME=$home HELM_DATA_HOME=$home KUBECACHEDIR=$home
trap 'rm -rf "$out" "$home"' EXIT

# check <what> <command> [argument …]: the command must succeed.
check() {
  local what=$1
  shift
  if "$@" >"$out" 2>&1; then echo "ok $what"; else echo "not ok $what"; { echo "$*"; tail -5 "$out"; } >&2; fi
}
# refused <what> <text> <command> [argument …]: the command must fail, and say why.
refused() {
  local what=$1 text=$2
  shift 2
  if "$@" >"$out" 2>&1; then echo "not ok $what"; elif grep -q "$text" "$out"; then echo "ok $what"; else echo "not ok $what"; tail -5 "$out" >&2; fi
}
moves() { [ "$MOVES" = yes ]; }
if moves; then wait=(--wait --timeout 60s) hooks=true; else wait=() hooks=false; fi
field() { [ "$(kubectl get "$1" -o "jsonpath=$2")" = "$3" ] || { kubectl get "$1" -o yaml; false; }; }
gone() { ! kubectl get "$@"; }
upgrade() { "$HELM" upgrade web chart --set "hooks=$hooks" "$@"; }

refused "a dry run does not know the definition of the chart" 'no matches for kind "Shelf"' "$HELM" install web chart --dry-run=server --set "hooks=$hooks"
check "a dry run leaves no object" gone configmap web
check "install" "$HELM" install web chart --set "hooks=$hooks" "${wait[@]}"
check "the release is deployed" sh -c "$HELM status web -o json | grep -q '\"status\":\"deployed\"'"
check "templates know the resources of the server" field configmap/web '{.data.served}' true
check "a definition of the chart is served before its objects are created" field shelf/web '{.spec.width}' 1
check "objects carry the labels and annotations of their release" field deployment/web '{.metadata.annotations.meta\.helm\.sh/release-name}' web
moves && check "the deployment is available" field deployment/web '{.status.availableReplicas}' 1
moves && check "the job before the installation has run" field job/web-prepare '{.status.succeeded}' 1
check "a dry run of an upgrade asks the server" upgrade --set replicas=2 --dry-run=server
check "and changes nothing" field shelf/web '{.spec.width}' 1
check "upgrade" upgrade --set replicas=3 "${wait[@]}"
check "templates look up what is stored" field configmap/web '{.data.before}' 1
check "an upgrade patches objects" field shelf/web '{.spec.width}' 3
moves && check "the deployment has its new size" field deployment/web '{.status.availableReplicas}' 3
refused "an upgrade to an invalid service fails" 'Invalid value: 99999' upgrade --set replicas=3,port=99999
refused "an upgrade against the schema of the chart's definition fails" 'greater than or equal to 1' upgrade --set replicas=0
moves && refused "an upgrade whose pods never get ready is undone" 'release web failed, and has been rolled back' \
  upgrade --set replicas=3 --set-string 'annotations.kube-informer\.dev/ready-after=never' --atomic --timeout 15s
check "an object that another client has changed is put back" sh -c "kubectl patch shelf web --type=merge -p '{\"spec\":{\"width\":9}}'"
check "rollback" "$HELM" rollback web 1 "${wait[@]}"
check "a rollback brings back objects" field shelf/web '{.spec.width}' 1
moves && check "a rollback waits for the deployment" field deployment/web '{.status.availableReplicas}' 1
check "the history has all revisions" sh -c "$HELM history web | grep -q 'Rollback to 1'"
moves && check "helm test runs a pod and reads its log" sh -c "$HELM test web --logs | grep -q 'all shelves are straight'"
refused "an object of somebody else is not taken over" 'invalid ownership metadata' sh -c "kubectl create configmap other && $HELM install other chart --skip-crds --set hooks=false"
check "the manifest is what is stored" sh -c "$HELM get manifest web | kubectl get -f - -o name | grep -q shelf"
check "uninstall" "$HELM" uninstall web "${wait[@]}"
check "an uninstalled release leaves no object" gone deployment/web service/web shelf/web configmap/web
check "the definition of the chart stays" kubectl get crd shelves.shop.example.com
check "the records of the release are gone" sh -c '[ -z "$(kubectl get secrets -l owner=helm,name=web -o name)" ]'
