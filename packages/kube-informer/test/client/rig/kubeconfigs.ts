/** Kubeconfigs as tools write them: layout, order and quotes are theirs, names and secrets are made up. */
export const WRITERS: Readonly<Record<string, string>> = {
  kubectl: `apiVersion: v1
clusters:
- cluster:
    certificate-authority: /etc/pki/ca.crt
    server: https://10.20.30.40:6443
    tls-server-name: api.internal
  name: prod
- cluster:
    insecure-skip-tls-verify: true
    proxy-url: socks5://localhost:1080
    server: https://staging.example.com
  name: staging
contexts:
- context:
    cluster: prod
    namespace: web
    user: admin@example.com
  name: prod
- context:
    cluster: staging
    user: ""
  name: staging
current-context: prod
kind: Config
preferences: {}
users:
- name: admin@example.com
  user:
    as: ops
    as-groups:
    - system:masters
    - "1234"
    as-user-extra:
      example.com/reason:
      - on-call
    password: 'p#ss: "word"'
    username: admin
- name: robot
  user:
    token: eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrIn0.c2lnbmVk_-x
`,
  'kubectl config view --minify, nothing set': `apiVersion: v1
clusters: null
contexts: null
current-context: ""
kind: Config
preferences: {}
users: null
`,
  kind: `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURCVENDQWUyZ0F3SUJBZ0lJ=
    server: https://127.0.0.1:43211
  name: kind-kind
contexts:
- context:
    cluster: kind-kind
    user: kind-kind
  name: kind-kind
current-context: kind-kind
kind: Config
users:
- name: kind-kind
  user:
    client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURJVENDQWdtZ0F3SUJBZ0lJ==
    client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFcEFJQkFBS0NBUUVB+/9=
`,
  minikube: `apiVersion: v1
clusters:
- cluster:
    certificate-authority: /home/dev/.minikube/ca.crt
    extensions:
    - extension:
        last-update: Tue, 04 Mar 2025 10:11:12 CET
        provider: minikube.sigs.k8s.io
        version: v1.35.0
      name: cluster_info
    server: https://192.168.49.2:8443
  name: minikube
contexts:
- context:
    cluster: minikube
    extensions:
    - extension:
        last-update: Tue, 04 Mar 2025 10:11:12 CET
        provider: minikube.sigs.k8s.io
        version: v1.35.0
      name: context_info
    namespace: default
    user: minikube
  name: minikube
current-context: minikube
kind: Config
preferences: {}
users:
- name: minikube
  user:
    client-certificate: /home/dev/.minikube/profiles/minikube/client.crt
    client-key: /home/dev/.minikube/profiles/minikube/client.key
`,
  k3s: `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJkekND=
    server: https://127.0.0.1:6443
  name: default
contexts:
- context:
    cluster: default
    user: default
  name: default
current-context: default
kind: Config
preferences: {}
users:
- name: default
  user:
    client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJr
    client-key-data: LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0tCk1IY0NB
`,
  'aws eks update-kubeconfig': `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURCVEND
    server: https://0123456789ABCDEF0123456789ABCDEF.gr7.eu-central-1.eks.amazonaws.com
  name: arn:aws:eks:eu-central-1:123456789012:cluster/shop
contexts:
- context:
    cluster: arn:aws:eks:eu-central-1:123456789012:cluster/shop
    user: arn:aws:eks:eu-central-1:123456789012:cluster/shop
  name: arn:aws:eks:eu-central-1:123456789012:cluster/shop
current-context: arn:aws:eks:eu-central-1:123456789012:cluster/shop
kind: Config
preferences: {}
users:
- name: arn:aws:eks:eu-central-1:123456789012:cluster/shop
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      args:
      - --region
      - eu-central-1
      - eks
      - get-token
      - --cluster-name
      - shop
      - --output
      - json
      command: aws
      env:
      - name: AWS_PROFILE
        value: shop
`,
  'gcloud container clusters get-credentials': `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUVMRENDQXBT
    server: https://34.10.20.30
  name: gke_my-project_europe-west3_shop
contexts:
- context:
    cluster: gke_my-project_europe-west3_shop
    user: gke_my-project_europe-west3_shop
  name: gke_my-project_europe-west3_shop
current-context: gke_my-project_europe-west3_shop
kind: Config
preferences: {}
users:
- name: gke_my-project_europe-west3_shop
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: gke-gcloud-auth-plugin
      installHint: Install the plugin of this cluster for use with kubectl by following the steps
        at https://cloud.example.com/docs/how-to/cluster-access-for-kubectl#install_plugin
      provideClusterInfo: true
`,
  'az aks get-credentials': `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUU2RENDQXRD
    server: https://shop-dns-1a2b3c4d.hcp.westeurope.azmk8s.io:443
  name: shop
contexts:
- context:
    cluster: shop
    user: clusterUser_rg_shop
  name: shop
current-context: shop
kind: Config
preferences: {}
users:
- name: clusterUser_rg_shop
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      args:
      - get-token
      - --environment
      - AzurePublicCloud
      - --server-id
      - 6dae42f8-0000-0000-0000-3960e67cc8d8
      - --login
      - devicecode
      command: kubelogin
      env: null
      installHint: |2

        The program kubelogin is not installed: this cluster needs it.

        See https://aka.example.com/kubelogin: how to install it
      interactiveMode: IfAvailable
      provideClusterInfo: false
`,
  'a provider that indents lists': `---
# kept by the provider
apiVersion: v1
kind: Config
clusters:
  - name: "do-fra1-shop"
    cluster:
      server: "https://1a2b.k8s.ondigitalocean.com"   # public
      certificate-authority-data: "LS0tLS1CRUdJTg=="

contexts:
  - name: 'do-fra1-shop'
    context:
      cluster: do-fra1-shop
      user: do-fra1-admin
current-context: do-fra1-shop
users:
  - name: do-fra1-admin
    user:
      auth-provider:
        name: oidc
        config:
          client-id: kubernetes
          client-secret: s-3cret
          idp-issuer-url: https://id.example.com/realms/one
          refresh-token: abc.def
`,
  JSON: JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      clusters: [{ name: 'c', cluster: { server: 'https://[::1]:6443', 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { token: 'a"b\\c\nd' } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', extensions: [] } }],
    },
    null,
    2,
  ),
};
