/** Two frames of one ConfigMap's watch, indented for readers as articles print them. No server sends them like this. */
export const printedAdded = String.raw`{
    "type": "ADDED",
    "object": {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {
            "name": "coredns",
            "namespace": "kube-system",
            "uid": "504a2097-2923-4092-be7b-ec69d80be29c",
            "resourceVersion": "250",
            "creationTimestamp": "2024-08-24T08:05:52Z",
            "managedFields": [{
                "manager": "kubeadm",
                "operation": "Update",
                "apiVersion": "v1",
                "time": "2024-08-24T08:05:52Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": {
                    "f:data": {
                        ".": {},
                        "f:Corefile": {}
                    }
                }
            }]
        },
        "data": {
            "Corefile": ".:53 {\n    errors\n    health {\n       lameduck 5s\n    }\n    ready\n    kubernetes cluster.local in-addr.arpa ip6.arpa {\n       pods insecure\n       fallthrough in-addr.arpa ip6.arpa\n       ttl 30\n    }\n    prometheus :9153\n    forward . /etc/resolv.conf {\n       max_concurrent 1000\n    }\n    cache 30\n    loop\n    reload\n    loadbalance\n}\n"
        }
    }
}
`;

export const printedModified = String.raw`{
    "type": "MODIFIED",
    "object": {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {
            "name": "coredns",
            "namespace": "kube-system",
            "uid": "504a2097-2923-4092-be7b-ec69d80be29c",
            "resourceVersion": "2987",
            "creationTimestamp": "2024-08-24T08:05:52Z",
            "managedFields": [{
                "manager": "kubeadm",
                "operation": "Update",
                "apiVersion": "v1",
                "time": "2024-08-24T08:05:52Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": {
                    "f:data": {}
                }
            }, {
                "manager": "kubectl-edit",
                "operation": "Update",
                "apiVersion": "v1",
                "time": "2024-08-24T08:38:29Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": {
                    "f:data": {
                        "f:Corefile": {}
                    }
                }
            }]
        },
        "data": {
            "Corefile": ".:53 {\n    errors\n    health {\n       lameduck 6s\n    }\n    ready\n    kubernetes cluster.local in-addr.arpa ip6.arpa {\n       pods insecure\n       fallthrough in-addr.arpa ip6.arpa\n       ttl 30\n    }\n    prometheus :9153\n    forward . /etc/resolv.conf {\n       max_concurrent 1000\n    }\n    cache 30\n    loop\n    reload\n    loadbalance\n}\n"
        }
    }
}
`;
