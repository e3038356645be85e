//! A program on kube-rs: watchers, a controller, apply, status, finalizers, leases. It prints a line for each promise.

mod gadget;
mod operator;
mod watching;
mod writing;

use std::fmt::Debug;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kube::Client;
use tokio::time::sleep;

static FAILED: AtomicBool = AtomicBool::new(false);

pub type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    let client = Client::try_default().await?;
    gadget::define(client.clone()).await?;
    watching::play(client.clone()).await?;
    writing::play(client.clone()).await?;
    operator::play(client).await?;
    Ok(if FAILED.load(Ordering::Relaxed) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Prints whether something is so; if it is not, what was found instead.
pub fn check(title: &str, holds: bool, found: impl Debug) {
    if holds {
        println!("ok {title}");
        return;
    }
    FAILED.store(true, Ordering::Relaxed);
    println!("not ok {title}");
    eprintln!("{title}: {found:?}");
}

/// Gives something half a minute to become so.
pub async fn until<F: Future<Output = bool>>(title: &str, holds: impl Fn() -> F) {
    let end = Instant::now() + Duration::from_secs(30);
    while Instant::now() < end {
        if holds().await {
            return check(title, true, ());
        }
        sleep(Duration::from_millis(20)).await;
    }
    check(title, false, "not within 30 s");
}
