//! kube-rs as a contestant: reflectors behind the protocol of bench/README.md.

mod cache;
mod measure;

use std::io::{BufRead, stdin};

use cache::{Cache, Object, Start};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use measure::answer;
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    answer(json!({ "ready": true, "version": "kube-rs 4.2.0", "heapBytes": measure::heap_bytes() }));
    let first = stdin().lock().lines().next().ok_or("no start command")??;
    let start: Start = serde_json::from_str(&first)?;
    if start.handlers > 1 {
        answer(json!({ "unsupported": "several handlers" }));
        return Ok(());
    }
    let client = kube::Client::try_default().await?;
    if start.resource == "pods" {
        let api = |namespace: &str| match namespace {
            "" => Api::<Pod>::all(client.clone()),
            _ => Api::namespaced(client.clone(), namespace),
        };
        serve(Cache::start(&start, (), api, pod_phase, pod_node).await)
    } else {
        let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("bench.example.com", "v1", "Widget"));
        let api = |namespace: &str| match namespace {
            "" => Api::<DynamicObject>::all_with(client.clone(), &kind),
            _ => Api::namespaced_with(client.clone(), namespace, &kind),
        };
        serve(Cache::start(&start, kind.clone(), api, widget_phase, widget_node).await)
    }
}

fn pod_phase(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or_default()
}

fn pod_node(pod: &Pod) -> &str {
    pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()).unwrap_or_default()
}

fn widget_phase(widget: &DynamicObject) -> &str {
    widget.data.pointer("/status/phase").and_then(Value::as_str).unwrap_or_default()
}

fn widget_node(widget: &DynamicObject) -> &str {
    widget.data.pointer("/spec/nodeName").and_then(Value::as_str).unwrap_or_default()
}

/// Answers the commands that follow `start`, until the pipe closes.
fn serve<K: Object>(cache: Cache<K>) -> Result<(), Failure> {
    for line in stdin().lock().lines() {
        let command: Value = serde_json::from_str(&line?)?;
        let number = |name: &str| command[name].as_u64().unwrap_or(1);
        let text = |name: &str| command[name].as_str().unwrap_or_default();
        match text("do") {
            "gc" => answer(json!({ "heapBytes": measure::heap_bytes(), "gcMs": 0 })),
            "expect" => cache.expect(number("events"), command["latency"].as_bool().unwrap_or(false)),
            "tell" => answer(json!({ "notifications": cache.notifications() })),
            "read" => {
                let (found, ns) = cache.read(text("what"), number("times"), text("argument"));
                answer(json!({ "found": found, "ns": ns }));
            }
            other => answer(json!({ "unsupported": other })),
        }
    }
    Ok(())
}
