//! Apply with its conflicts, status, scale, validation, and a Lease that two clients want.

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::api::core::v1::Event as CoreEvent;
use kube::api::{Api, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::{Client, Error, Resource, ResourceExt};
use serde_json::json;

use crate::gadget::{Gadget, gadget};
use crate::{Failure, check, until};

fn code<T>(result: &Result<T, Error>) -> u16 {
    match result {
        Ok(_) => 200,
        Err(Error::Api(status)) => status.code,
        Err(_) => 0,
    }
}

pub async fn play(client: Client) -> Result<(), Failure> {
    let gadgets: Api<Gadget> = Api::default_namespaced(client.clone());
    let apply = |manager: &str, size: i32| {
        let metadata = json!({ "name": "applied" });
        let gadget = json!({ "apiVersion": "rs.example.com/v1", "kind": "Gadget", "metadata": metadata, "spec": { "size": size } });
        (PatchParams::apply(manager), Patch::Apply(gadget))
    };
    let (one, patch) = apply("one", 1);
    let made = gadgets.patch("applied", &one, &patch).await?;
    check("an apply creates, and defaults are filled in", made.spec.color == "red", &made.spec);
    let same = gadgets.patch("applied", &one, &patch).await?;
    check("the same apply changes nothing", same.resource_version() == made.resource_version(), same.resource_version());
    let (two, patch) = apply("two", 2);
    let refused = gadgets.patch("applied", &two, &patch).await;
    check("an apply of a field of another manager conflicts", code(&refused) == 409, &refused);
    let forced = gadgets.patch("applied", &two.force(), &patch).await?;
    check("a forced apply takes the field over", forced.spec.size == 2, &forced.spec);

    let status = Patch::Merge(json!({ "status": { "size": 2 }, "spec": { "size": 9 } }));
    let written = gadgets.patch_status("applied", &PatchParams::default(), &status).await?;
    let is_status_only = written.status.as_ref().is_some_and(|status| status.size == 2) && written.spec.size == 2;
    check("a write of the status changes nothing else", is_status_only && written.metadata.generation == Some(2), &written);
    let scale = Patch::Merge(json!({ "spec": { "replicas": 7 } }));
    gadgets.patch_scale("applied", &PatchParams::default(), &scale).await?;
    let (read, scale) = (gadgets.get("applied").await?, gadgets.get_scale("applied").await?);
    let replicas = scale.status.map(|status| status.replicas);
    check("a write of the scale changes the replicas", read.spec.size == 7 && replicas == Some(2), (&read, replicas));

    let refused = gadgets.create(&PostParams::default(), &gadget("large", 101)).await;
    check("an object against its schema is refused", code(&refused) == 422, &refused);
    let dry = PostParams { dry_run: true, ..Default::default() };
    gadgets.create(&dry, &gadget("dry", 1)).await?;
    check("a dry run stores nothing", gadgets.get_opt("dry").await?.is_none(), ());
    let refused = gadgets.replace("applied", &PostParams::default(), &made).await;
    check("a replace of an old version conflicts", code(&refused) == 409, &refused);

    lease(client.clone()).await?;
    events(client, &read).await
}

/// Of two that write the same version of a Lease, one gets it.
async fn lease(client: Client) -> Result<(), Failure> {
    let leases: Api<Lease> = Api::default_namespaced(client);
    let metadata = ObjectMeta { name: Some("wanted".into()), ..Default::default() };
    let made = leases.create(&PostParams::default(), &Lease { metadata, ..Default::default() }).await?;
    let take = |holder: &str| {
        let spec = LeaseSpec { holder_identity: Some(holder.into()), ..Default::default() };
        let lease = Lease { spec: Some(spec), ..made.clone() };
        let leases = leases.clone();
        async move { leases.replace("wanted", &PostParams::default(), &lease).await }
    };
    let (one, two) = tokio::join!(take("one"), take("two"));
    let mut codes = [code(&one), code(&two)];
    codes.sort_unstable();
    check("of two that want a Lease one gets it", codes == [200, 409], codes);
    Ok(())
}

async fn events(client: Client, about: &Gadget) -> Result<(), Failure> {
    let reporter = Reporter { controller: "foreign".into(), instance: None };
    let recorder = Recorder::new(client.clone(), reporter);
    let event = Event { type_: EventType::Normal, reason: "Seen".into(), note: None, action: "Seeing".into(), secondary: None };
    for _ in 0..3 {
        recorder.publish(&event, &about.object_ref(&())).await?;
    }
    let stored: Api<CoreEvent> = Api::default_namespaced(client);
    until("a repeated event becomes a series", || async {
        let list = stored.list(&ListParams::default().fields("reason=Seen")).await;
        list.is_ok_and(|list| matches!(&list.items[..], [event] if event.series.as_ref().is_some_and(|series| series.count >= Some(2))))
    })
    .await;
    Ok(())
}
