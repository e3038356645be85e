//! Watchers of whole objects and of metadata, with plain and streaming lists, and a reflector's store.

use std::pin::pin;
use std::time::Duration;

use futures::{Stream, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::runtime::reflector::{reflector, store};
use kube::runtime::watcher::{self, Event, watcher};
use kube::core::PartialObjectMeta;
use kube::{Client, Resource, ResourceExt};
use serde_json::json;
use tokio::time::timeout;

use crate::{Failure, check, until};

fn map(name: &str) -> ConfigMap {
    let labels = [("of".to_string(), "watching".to_string())].into();
    let metadata = ObjectMeta { name: Some(name.into()), labels: Some(labels), ..Default::default() };
    ConfigMap { metadata, ..Default::default() }
}

pub async fn play(client: Client) -> Result<(), Failure> {
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let partial: Api<PartialObjectMeta<ConfigMap>> = Api::default_namespaced(client);
    maps.create(&PostParams::default(), &map("a")).await?;
    let config = watcher::Config::default().labels("of=watching");

    let plain = tokio::spawn(story(watcher(maps.clone(), config.clone())));
    let streamed = tokio::spawn(story(watcher(maps.clone(), config.clone().streaming_lists())));
    let metadata = tokio::spawn(story(watcher(partial, config.clone())));
    let (reader, writer) = store::<ConfigMap>();
    let kept = tokio::spawn(reflector(writer, watcher(maps.clone(), config)).for_each(|_| async {}));
    reader.wait_until_ready().await?;
    // The others have begun, but may not have listed yet: what they see as initial and what as a change is up to them.
    maps.create(&PostParams::default(), &map("b")).await?;
    let labels = json!({ "metadata": { "labels": { "of": "something-else" } } });
    maps.patch("b", &PatchParams::default(), &Patch::Merge(labels)).await?;
    until("the store of a reflector follows", || async {
        reader.state().iter().map(|map| map.name_any()).collect::<Vec<_>>() == ["a"]
    })
    .await;
    maps.create(&PostParams::default(), &map("end")).await?;
    for (title, task) in [("plain lists", plain), ("streaming lists", streamed), ("metadata", metadata)] {
        let seen = timeout(Duration::from_secs(30), task).await;
        let is_whole = matches!(&seen, Ok(Ok(names)) if names.iter().any(|name| name == "a") && !names.contains(&"b".to_string()));
        check(&format!("a watcher with {title} sees every change"), is_whole, &seen);
    }
    kept.abort();

    let page = maps.list(&ListParams::default().labels("of=watching").limit(1)).await?;
    check("a list of one page has a token and a count", page.items.len() == 1 && page.metadata.continue_.is_some(), &page.metadata);
    let partial = maps.get_metadata("a").await?;
    check("metadata come alone", partial.labels().get("of").is_some(), &partial);
    maps.delete_collection(&DeleteParams::default(), &ListParams::default().labels("of")).await?;
    let left = maps.list(&ListParams::default().labels("of")).await?;
    check("a collection is deleted", left.items.is_empty(), left.items.len());
    Ok(())
}

/// The names that a watcher would keep when it sees `end`.
async fn story<K: Resource>(events: impl Stream<Item = watcher::Result<Event<K>>>) -> Vec<String> {
    let mut events = pin!(events);
    let mut names = Vec::new();
    while let Some(Ok(event)) = events.next().await {
        match event {
            Event::Init => names.clear(),
            Event::Apply(object) | Event::InitApply(object) => names.push(object.name_any()),
            Event::Delete(object) => names.retain(|name| *name != object.name_any()),
            Event::InitDone => {}
        }
        if names.iter().any(|name| name == "end") {
            break;
        }
    }
    names
}
