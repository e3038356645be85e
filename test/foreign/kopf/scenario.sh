#!/usr/bin/env bash
# Drives the operator with kubectl and prints one line for each promise: "ok <what>" or "not ok <what>".
set -uo pipefail
cd "$(dirname "$0")"
log=$(mktemp)
kubectl apply -f definition.yaml >&2
kubectl wait --for=condition=Established crd/gadgets.foreign.example.com --timeout=30s >&2
"$PYTHON" -m kopf run --all-namespaces --liveness=http://127.0.0.1:0/ gadgets.py >"$log" 2>&1 &
operator=$!
trap 'kill $operator 2>/dev/null; wait $operator 2>/dev/null; rm -f "$log"' EXIT

# check <what> <command> [argument …]: repeats a command until it succeeds, for two minutes at most.
check() {
  local what=$1 end=$((SECONDS + 120))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $end ] || ! kill -0 $operator; then echo "not ok $what"; tail -5 "$log" >&2; return; fi
    sleep 0.3
  done
  echo "ok $what"
}
field() { [ "$(kubectl get gadget one -o "jsonpath=$1")" = "$2" ]; }
gadget() { printf 'apiVersion: foreign.example.com/v1\nkind: Gadget\nmetadata: { name: one }\nspec: { size: %s }\n' "$1" | kubectl apply -f - >&2; }

gadget 1
check "a created object gets the result of its handler in its status" field '{.status.created.size}' 1
check "it has the finalizer of the operator" field '{.metadata.finalizers[0]}' foreign.example.com/kopf
check "an event is posted" sh -c 'kubectl get events -o jsonpath="{.items[*].reason}" | grep -q Made'
gadget 5
check "a changed field is told with its old and new value" field '{.status.resized}' '1 to 5'
check "a timer writes the status again and again" sh -c '[ "$(kubectl get gadget one -o jsonpath={.status.ticks})" -ge 3 ]'
kubectl delete gadget one --wait=false >&2
check "a deleted object is cleaned up and goes" sh -c '! kubectl get gadget one'
check "the operator has logged its clean-up" grep -q 'cleaned up default/one' "$log"
