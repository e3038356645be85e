//! A controller with a child, its owner reference and a finalizer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Error as FinalizerError, Event, finalizer};
use kube::runtime::watcher;
use kube::{Client, Error, Resource, ResourceExt};
use serde_json::json;

use crate::gadget::{Gadget, gadget};
use crate::{Failure, until};

const FINALIZER: &str = "rs.example.com/clean";

struct Context {
    client: Client,
    cleaned: AtomicU32,
}

pub async fn play(client: Client) -> Result<(), Failure> {
    let gadgets: Api<Gadget> = Api::default_namespaced(client.clone());
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let context = Arc::new(Context { client, cleaned: AtomicU32::new(0) });
    let config = watcher::Config::default().fields("metadata.name=owned");
    let loops = Controller::new(gadgets.clone(), config)
        .owns(maps.clone(), watcher::Config::default())
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(200)), context.clone())
        .for_each(|_| async {});
    let running = tokio::spawn(loops);

    gadgets.create(&PostParams::default(), &gadget("owned", 1)).await?;
    let size = || async { maps.get_opt("owned").await.ok().flatten().and_then(|map| map.data?.get("size").cloned()) };
    until("a new object is reconciled", || async { size().await.as_deref() == Some("1") }).await;
    until("its status is patched", || async {
        gadgets.get("owned").await.is_ok_and(|gadget| gadget.status.is_some_and(|status| status.size == 1))
    })
    .await;
    until("it has the finalizer", || async {
        gadgets.get("owned").await.is_ok_and(|gadget| gadget.finalizers() == [FINALIZER])
    })
    .await;
    gadgets.patch("owned", &PatchParams::default(), &Patch::Merge(json!({ "spec": { "size": 2 } }))).await?;
    until("a change is reconciled", || async { size().await.as_deref() == Some("2") }).await;
    maps.delete("owned", &DeleteParams::default()).await?;
    until("what the controller made comes back", || async { size().await.as_deref() == Some("2") }).await;
    gadgets.delete("owned", &DeleteParams::default()).await?;
    until("a deleted object is cleaned up, then gone", || async {
        context.cleaned.load(Ordering::Relaxed) > 0 && gadgets.get_opt("owned").await.is_ok_and(|gadget| gadget.is_none())
    })
    .await;
    running.abort();
    Ok(())
}

async fn reconcile(gadget: Arc<Gadget>, context: Arc<Context>) -> Result<Action, FinalizerError<Error>> {
    let gadgets: Api<Gadget> = Api::default_namespaced(context.client.clone());
    finalizer(&gadgets, FINALIZER, gadget, async |event| match event {
        Event::Apply(gadget) => apply(&gadget, &context.client).await,
        Event::Cleanup(_) => {
            context.cleaned.fetch_add(1, Ordering::Relaxed);
            Ok(Action::await_change())
        }
    })
    .await
}

async fn apply(gadget: &Gadget, client: &Client) -> Result<Action, Error> {
    let name = gadget.name_any();
    let child = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": name, "ownerReferences": [gadget.controller_owner_ref(&())] },
        "data": { "size": gadget.spec.size.to_string() },
    });
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    maps.patch(&name, &PatchParams::apply("operator").force(), &Patch::Apply(child)).await?;
    let gadgets: Api<Gadget> = Api::default_namespaced(client.clone());
    let status = Patch::Merge(json!({ "status": { "size": gadget.spec.size } }));
    gadgets.patch_status(&name, &PatchParams::default(), &status).await?;
    Ok(Action::await_change())
}
