//! A custom resource whose definition is derived from its type.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, Patch, PatchParams};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Client, CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Failure, check};

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "rs.example.com", version = "v1", kind = "Gadget", namespaced, status = "GadgetStatus")]
#[kube(scale(spec_replicas_path = ".spec.size", status_replicas_path = ".status.size"))]
pub struct GadgetSpec {
    #[schemars(range(min = 0, max = 100))]
    pub size: i32,
    #[serde(default = "color")]
    pub color: String,
}

fn color() -> String {
    "red".into()
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
pub struct GadgetStatus {
    pub size: i32,
}

pub fn gadget(name: &str, size: i32) -> Gadget {
    Gadget::new(name, GadgetSpec { size, color: color() })
}

pub async fn define(client: Client) -> Result<(), Failure> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client);
    let force = PatchParams::apply("foreign").force();
    let applied = definitions.patch("gadgets.rs.example.com", &force, &Patch::Apply(Gadget::crd())).await;
    check("a derived definition is applied", applied.is_ok(), &applied);
    await_condition(definitions, "gadgets.rs.example.com", conditions::is_crd_established()).await?;
    check("it is established", true, ());
    Ok(())
}
