//! The caches of one run, their counters, and reads.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures::StreamExt;
use kube::api::Api;
use kube::runtime::reflector::{ObjectRef, Store, reflector, store::Writer};
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Resource, ResourceExt};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::measure::{answer, now_us};

/// The annotation with the time of a write.
const AT: &str = "bench.example.com/at";

#[derive(Deserialize)]
pub struct Start {
    pub resource: String,
    pub selector: String,
    pub initial: String,
    pub namespaces: Vec<String>,
    pub handlers: usize,
    pub read: String,
}

pub trait Object: Resource<DynamicType: Eq + Hash + Clone + Send + Sync + Debug> + Clone + Debug + DeserializeOwned + Send + Sync + 'static {}
impl<K> Object for K where
    K: Resource<DynamicType: Eq + Hash + Clone + Send + Sync + Debug> + Clone + Debug + DeserializeOwned + Send + Sync + 'static
{
}

#[derive(Default)]
struct Counters {
    notifications: u64,
    /// What the handler has read of the objects; printed, so that the compiler keeps the reads.
    read: usize,
    expected: Option<Expected>,
}

struct Expected {
    left: u64,
    latencies: Option<Vec<u64>>,
}

pub struct Cache<K: Object> {
    stores: Vec<Store<K>>,
    kind: K::DynamicType,
    counters: Arc<Mutex<Counters>>,
    phase: fn(&K) -> &str,
    node: fn(&K) -> &str,
}

impl<K: Object> Cache<K> {
    /// Starts one reflector per namespace and answers when all have their initial state.
    pub async fn start(
        start: &Start,
        kind: K::DynamicType,
        api: impl Fn(&str) -> Api<K>,
        phase: fn(&K) -> &str,
        node: fn(&K) -> &str,
    ) -> Self {
        let began = Instant::now();
        let counters = Arc::new(Mutex::new(Counters::default()));
        let config = watcher::Config::default().labels(&start.selector);
        let config = if start.initial == "list" { config } else { config.streaming_lists() };
        let mut stores = Vec::new();
        for namespace in &start.namespaces {
            let writer = Writer::<K>::new(kind.clone());
            stores.push(writer.as_reader());
            let mut events = Box::pin(reflector(writer, watcher(api(namespace), config.clone())));
            let counters = counters.clone();
            let reads_phase = start.read == "phase";
            tokio::spawn(async move {
                while let Some(event) = events.next().await {
                    match event {
                        Ok(Event::Apply(object) | Event::InitApply(object)) => {
                            handle(&mut lock(&counters), &object, reads_phase.then_some(phase));
                        }
                        Ok(Event::Delete(_)) => lock(&counters).notifications += 1,
                        Ok(Event::Init | Event::InitDone) => {}
                        Err(error) => eprintln!("{error}"),
                    }
                }
            });
        }
        for store in &stores {
            // It fails only when the reflector is gone, and then the bench finds too few objects.
            let _ = store.wait_until_ready().await;
        }
        let objects: usize = stores.iter().map(Store::len).sum();
        answer(json!({ "objects": objects, "wallMs": began.elapsed().as_secs_f64() * 1_000.0 }));
        Self { stores, kind, counters, phase, node }
    }

    /// Answers at once, and again after this many notifications.
    pub fn expect(&self, events: u64, with_latency: bool) {
        let latencies = with_latency.then(Vec::new);
        lock(&self.counters).expected = Some(Expected { left: events, latencies });
        answer(json!({ "ok": true }));
    }

    pub fn notifications(&self) -> u64 {
        lock(&self.counters).notifications
    }

    /// How many objects a read found, and the time of all reads.
    pub fn read(&self, what: &str, times: u64, argument: &str) -> (usize, u128) {
        let began = Instant::now();
        let mut found = 0;
        for _ in 0..times {
            found = match what {
                "get" => self.get(argument),
                "namespace" => self.count(|object| object.namespace().as_deref() == Some(argument)),
                "index" => self.count(|object| (self.node)(object) == argument),
                "labels" => self.count(|object| object.labels().get("app").is_some_and(|app| app == argument)),
                _ => self.count(|object| (self.phase)(object) == "Running"),
            };
        }
        (found, began.elapsed().as_nanos())
    }

    fn get(&self, key: &str) -> usize {
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        let wanted = ObjectRef::<K>::new_with(name, self.kind.clone()).within(namespace);
        self.stores.iter().filter_map(|store| store.get(&wanted)).count()
    }

    /// A store has no index: every query walks over all objects.
    fn count(&self, matches: impl Fn(&K) -> bool) -> usize {
        self.stores.iter().flat_map(Store::state).filter(|object| matches(object)).count()
    }
}

fn handle<K: Object>(counters: &mut Counters, object: &K, phase: Option<fn(&K) -> &str>) {
    counters.notifications += 1;
    counters.read += phase.map_or_else(|| object.name_any().len(), |phase| phase(object).len());
    let Some(expected) = &mut counters.expected else { return };
    if let Some(latencies) = &mut expected.latencies {
        let at = object.annotations().get(AT).and_then(|at| at.parse().ok()).unwrap_or(0);
        latencies.push(now_us().saturating_sub(at));
    }
    expected.left -= 1;
    if expected.left > 0 {
        return;
    }
    let latencies_us = expected.latencies.take();
    counters.expected = None;
    answer(json!({ "done": true, "read": counters.read, "latenciesUs": latencies_us }));
}

fn lock(counters: &Mutex<Counters>) -> MutexGuard<'_, Counters> {
    counters.lock().unwrap_or_else(PoisonError::into_inner)
}
