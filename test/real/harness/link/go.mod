module kube-informer/test/real/harness/link

go 1.24
