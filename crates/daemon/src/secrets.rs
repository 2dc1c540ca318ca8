//! The user's secrets for the engine: the store of this home, asked off the event loop.

use async_trait::async_trait;
use pillion_engine::{Bound, Secret, SecretError, Secrets};
use pillion_secrets::{SecretsError, Store};
use std::time::{SystemTime, UNIX_EPOCH};

/// The secrets of this home.
pub(crate) struct Vault(pub(crate) Store);

impl Vault {
    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, SecretsError> + Send + 'static,
    ) -> Result<T, SecretError> {
        let store = self.0.clone();
        match tokio::task::spawn_blocking(move || work(&store)).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(SecretsError::NotFound(_))) => Err(SecretError::NotFound),
            Ok(Err(error)) => Err(SecretError::Unavailable(error.to_string())),
            Err(_) => Err(SecretError::Unavailable("a fault in Pillion".to_owned())),
        }
    }
}

#[async_trait]
impl Secrets for Vault {
    async fn reveal(&self, name: &str) -> Result<Secret, SecretError> {
        let name = name.to_owned();
        let found = self.ask(move |store| store.reveal(&name)).await?;
        Ok(Secret { value: found.value, origins: found.origins })
    }

    async fn bound(&self) -> Vec<Bound> {
        let entries = self.ask(Store::list).await.unwrap_or_else(|error| {
            tracing::warn!(?error, "the list of secrets cannot be read");
            vec![]
        });
        entries
            .into_iter()
            .map(|entry| Bound { name: entry.name, origins: entry.origins })
            .collect()
    }

    async fn used(&self, name: &str) {
        let (name, now) = (name.to_owned(), seconds_now());
        if let Err(error) = self.ask(move |store| store.used(&name, now)).await {
            tracing::warn!(?error, "when a secret was used could not be written down");
        }
    }
}

fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
