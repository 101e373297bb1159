//! How a connection to a server is secured, as `sslmode` and `sslrootcert` of its address say, in the
//! meaning that PostgreSQL's own programs give them: `disable`, `prefer` (the default) and `require`
//! encrypt or not and believe any certificate, `verify-full` checks it. `verify-ca` is taken for
//! `verify-full`.

use std::sync::Arc;

use postgres::config::SslMode;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

/// What was asked for.
#[derive(Clone)]
pub(super) struct Tls {
    pub(super) mode: SslMode,
    config: Arc<ClientConfig>,
}

impl Tls {
    pub(super) fn connector(&self) -> MakeRustlsConnect {
        MakeRustlsConnect::new((*self.config).clone())
    }
}

/// The address without what is settled here, and what that is.
pub(super) fn settings(url: &str) -> Result<(String, Tls), String> {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let (mut mode, mut roots, mut rest) = ("prefer", None, Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("sslmode", value)) => mode = value,
            Some(("sslrootcert", value)) => roots = Some(value),
            _ => rest.push(pair),
        }
    }
    let (mode, verifies) = match mode {
        "disable" => (SslMode::Disable, false),
        "prefer" | "allow" => (SslMode::Prefer, false),
        "require" => (SslMode::Require, false),
        "verify-ca" | "verify-full" => (SslMode::Require, true),
        other => return Err(format!("sslmode '{other}' is none of PostgreSQL's")),
    };
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let config = match verifies {
        true => builder.with_root_certificates(root_store(roots)?).with_no_client_auth(),
        false => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
            .with_no_client_auth(),
    };
    let url = match rest.is_empty() {
        true => base.to_owned(),
        false => format!("{base}?{}", rest.join("&")),
    };
    Ok((url, Tls { mode, config: Arc::new(config) }))
}

fn root_store(file: Option<&str>) -> Result<RootCertStore, String> {
    let mut store = RootCertStore::empty();
    match file {
        None | Some("system") => store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(file) => {
            let broken = |error: &dyn std::fmt::Display| format!("sslrootcert {file}: {error}");
            let found = CertificateDer::pem_file_iter(file).map_err(|error| broken(&error))?;
            for certificate in found {
                let certificate = certificate.map_err(|error| broken(&error))?;
                store.add(certificate).map_err(|error| broken(&error))?;
            }
        }
    }
    Ok(store)
}

/// Encrypts and believes whoever answers, as `sslmode=require` says.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
