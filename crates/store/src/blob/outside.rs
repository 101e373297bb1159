//! Blobs outside of the catalog: objects of an S3 bucket, named by hash.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path;
use object_store::{ObjectStore, PutMode, PutPayload, RetryConfig};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use super::pack::{HasBytes, Packed};
use super::{Hash, PLAIN, ZSTD};
use crate::error::StoreError;

/// Objects that are asked for or put at the same time.
const AT_ONCE: usize = 16;
/// How long a server that fails is asked again.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where blobs lie that are not in the catalog: `s3://bucket/prefix`. How the server is reached and who
/// asks is in the environment (`AWS_ENDPOINT`, `AWS_ACCESS_KEY_ID`, …), or in settings of the same names
/// after a `?`. Without TLS, only loopback is asked.
///
/// ```
/// use store::BlobLocation;
///
/// let blobs: BlobLocation = "s3://crawls/2026?aws_secret_access_key=x".parse().unwrap();
/// assert_eq!(blobs.to_string(), "s3://crawls/2026");
/// assert!("/var/blobs".parse::<BlobLocation>().is_err());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct BlobLocation {
    bucket: String,
    prefix: String,
    settings: Vec<(AmazonS3ConfigKey, String)>,
}

impl FromStr for BlobLocation {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let (place, query) = text.split_once('?').unwrap_or((text, ""));
        let broken =
            |why: &str| StoreError::Address { text: place.to_owned(), why: why.to_owned() };
        let rest = place.strip_prefix("s3://").ok_or_else(|| broken("blobs lie at s3://…"))?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(broken("it names no bucket"));
        }
        let setting = |pair: &str| {
            let (name, value) =
                pair.split_once('=').ok_or_else(|| broken("a setting has no value"))?;
            let key = name.parse().map_err(|_| broken(&format!("'{name}' is no setting of S3")))?;
            Ok((key, value.to_owned()))
        };
        let settings = query.split('&').filter(|pair| !pair.is_empty()).map(setting);
        Ok(Self {
            bucket: bucket.to_owned(),
            prefix: prefix.trim_matches('/').to_owned(),
            settings: settings.collect::<Result<_, StoreError>>()?,
        })
    }
}

/// Without settings, some of which are secret.
impl fmt::Display for BlobLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.prefix.is_empty() { "" } else { "/" };
        write!(f, "s3://{}{slash}{}", self.bucket, self.prefix)
    }
}

impl fmt::Debug for BlobLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An open bucket.
pub(crate) struct Outside {
    location: BlobLocation,
    store: Arc<dyn ObjectStore>,
    // Its own, since the threads of the engines wait for it.
    runtime: Option<Runtime>,
}

impl Outside {
    pub(crate) fn open(location: &BlobLocation) -> Result<Self, StoreError> {
        let failed = |error: object_store::Error| StoreError::Address {
            text: location.to_string(),
            why: error.to_string(),
        };
        let mut builder = AmazonS3Builder::from_env()
            .with_bucket_name(&location.bucket)
            .with_retry(RetryConfig { retry_timeout: PATIENCE, ..RetryConfig::default() });
        for (key, value) in &location.settings {
            builder = builder.with_config(*key, value);
        }
        let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint);
        if endpoint.as_deref().is_some_and(is_loopback) {
            builder = builder.with_allow_http(true);
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("blobs")
            .enable_all()
            .build()
            .map_err(StoreError::Thread)?;
        Ok(Self {
            location: location.clone(),
            store: Arc::new(builder.build().map_err(failed)?),
            runtime: Some(runtime),
        })
    }

    /// Puts what a step brings, and remembers that it is there.
    pub(crate) async fn put(
        &self,
        packed: &mut Packed,
        step: &impl HasBytes,
    ) -> Result<(), StoreError> {
        let objects: Vec<_> = packed
            .contents(step)
            .map(|(hash, blob, bytes)| {
                (self.path(&hash, blob.codec), PutPayload::from(blob.stored(bytes).to_vec()))
            })
            .collect();
        let mut puts = JoinSet::new();
        let mut objects = objects.into_iter();
        let runtime = self.runtime()?;
        loop {
            while puts.len() < AT_ONCE
                && let Some((path, payload)) = objects.next()
            {
                let store = self.store.clone();
                // Whoever was first put the same bytes.
                let put = async move {
                    match store.put_opts(&path, payload, PutMode::Create.into()).await {
                        Err(object_store::Error::AlreadyExists { .. }) => Ok(()),
                        done => done.map(drop),
                    }
                };
                puts.spawn_on(put, runtime.handle());
            }
            match puts.join_next().await {
                None => break,
                Some(done) => {
                    done.map_err(|_| StoreError::Closed)?.map_err(|error| self.failed(error))?;
                }
            }
        }
        packed.blobs.values_mut().for_each(|blob| blob.outside = true);
        Ok(())
    }

    /// Removes the objects of these blobs, however they were packed. What is not there is removed already.
    pub(crate) async fn remove(&self, hashes: Vec<Hash>) -> Result<(), StoreError> {
        let mut paths =
            hashes.iter().flat_map(|hash| [self.path(hash, ZSTD), self.path(hash, PLAIN)]);
        let mut removals = JoinSet::new();
        let runtime = self.runtime()?;
        loop {
            while removals.len() < AT_ONCE
                && let Some(path) = paths.next()
            {
                let store = self.store.clone();
                let remove = async move {
                    match store.delete(&path).await {
                        Err(object_store::Error::NotFound { .. }) => Ok(()),
                        done => done,
                    }
                };
                removals.spawn_on(remove, runtime.handle());
            }
            match removals.join_next().await {
                None => return Ok(()),
                Some(done) => {
                    done.map_err(|_| StoreError::Closed)?.map_err(|error| self.failed(error))?;
                }
            }
        }
    }

    /// What is kept under these names, in order. Waits: for threads of the engines only.
    pub(crate) fn get_all(
        &self,
        names: &[(Hash, i64)],
    ) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let runtime = self.runtime()?;
        let mut answers = Vec::with_capacity(names.len());
        for some in names.chunks(AT_ONCE) {
            let gets: Vec<_> = some
                .iter()
                .map(|(hash, codec)| {
                    let (store, path) = (self.store.clone(), self.path(hash, *codec));
                    runtime.spawn(async move {
                        match store.get(&path).await {
                            Ok(found) => found.bytes().await.map(|bytes| Some(bytes.to_vec())),
                            Err(object_store::Error::NotFound { .. }) => Ok(None),
                            Err(error) => Err(error),
                        }
                    })
                })
                .collect();
            for get in gets {
                let got = runtime.block_on(get).map_err(|_| StoreError::Closed)?;
                answers.push(got.map_err(|error| self.failed(error))?);
            }
        }
        Ok(answers)
    }

    /// Two machines may pack the same bytes in two ways, so the way is part of the name.
    fn path(&self, hash: &Hash, codec: i64) -> Path {
        let hex = blake3::Hash::from_bytes(*hash).to_hex();
        let (first, rest) = hex.split_at(2);
        let suffix = if codec == ZSTD { ".zst" } else { "" };
        Path::from(format!("{}/{first}/{rest}{suffix}", self.location.prefix))
    }

    fn runtime(&self) -> Result<&Runtime, StoreError> {
        self.runtime.as_ref().ok_or(StoreError::Closed)
    }

    fn failed(&self, error: object_store::Error) -> StoreError {
        StoreError::Blobs { place: self.location.to_string(), source: Box::new(error) }
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        // A runtime that is merely dropped waits, and panics where async code runs.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn is_loopback(endpoint: &str) -> bool {
    let Some(rest) = endpoint.strip_prefix("http://") else { return false };
    let authority = rest.split('/').next().unwrap_or_default();
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn only_loopback_is_asked_without_tls() {
        for (endpoint, is) in [
            ("http://127.0.0.1:5000", true),
            ("http://localhost", true),
            ("http://[::1]:9000/", true),
            ("https://127.0.0.1", false),
            ("http://minio.example.org:9000", false),
            ("http://127.0.0.1.example.org", false),
        ] {
            assert_eq!(is_loopback(endpoint), is, "{endpoint}");
        }
    }
}
