#!/bin/sh
# A credential plugin like `aws eks get-token`: prints a token that is valid for one minute.
expires=$(date -u -d '+1 minute' +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || date -u -v+1M +%Y-%m-%dT%H:%M:%SZ)
cat <<JSON
{
  "apiVersion": "client.authentication.k8s.io/v1",
  "kind": "ExecCredential",
  "status": { "token": "$KUBE_TOKEN", "expirationTimestamp": "$expires" }
}
JSON
