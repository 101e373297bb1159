use std::sync::Arc;

use browser::http::{AddressRule, Client, ClientOptions, FetchError, Request, Version};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use std::io::{Read, Write};
use std::net::TcpListener;
use url::Url;

/// Serves one page over TLS with a certificate of its own making; gives the port and the
/// certificate.
fn start() -> (u16, CertificateDer<'static>) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let certificate = cert.der().clone();
    let key = PrivatePkcs8KeyDer::from(signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key.into())
        .expect("a configuration");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for mut tcp in listener.incoming().flatten() {
            let Ok(mut session) = rustls::ServerConnection::new(config.clone()) else {
                return;
            };
            let mut stream = rustls::Stream::new(&mut session, &mut tcp);
            let mut buffer = [0; 4096];
            if stream.read(&mut buffer).is_ok() {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecure");
            }
        }
    });
    (port, certificate)
}

#[tokio::test]
async fn tls_is_verified_and_an_extra_authority_can_be_trusted() {
    let (port, certificate) = start();
    let rule = AddressRule::public_only().allow_named("localhost", port);
    let url = Url::parse(&format!("https://localhost:{port}/")).expect("a URL");
    let mut options = ClientOptions::new("bathys-test/1", rule);
    let stranger = Client::new(options.clone()).expect("a client");
    let error = stranger.fetch(&Request::get(url.clone())).await.expect_err("a bad certificate");
    assert!(matches!(error, FetchError::Connect { .. }), "{error}");
    assert!(error.to_string().contains("certificate"), "{error}");

    options.extra_roots = vec![certificate];
    let friend = Client::new(options).expect("a client");
    let exchange = friend.fetch(&Request::get(url)).await.expect("an exchange");
    assert_eq!(exchange.body, b"secure");
    assert_eq!(exchange.version, Version::HTTP_11);
}
