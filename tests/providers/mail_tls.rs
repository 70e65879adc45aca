//! Encryption towards the mail server: when it is used, when it is required, and which certificates are trusted.

use shared::providers::{
    AcceptedMessage, SendError,
    mail::{MailProvider, SmtpPool, SmtpServer},
};
use tests::fake_smtp::{Certificate, FakeSmtp, Options, Tls};

use super::mail::{class_of, letter, mail, patient};

async fn server(tls: Tls) -> FakeSmtp {
    let login = Some(("user".to_owned(), "canary".to_owned()));
    FakeSmtp::start_on(0, Options { login, tls }).await
}

fn url(server: &FakeSmtp, scheme: &str, tls: &str) -> String {
    format!("{scheme}://user:canary@127.0.0.1:{}{tls}", server.port())
}

async fn send_trusting(certificate: &Certificate, url: &str) -> Result<AcceptedMessage, SendError> {
    let server = SmtpServer { trusted_certificate: Some(certificate.der()), ..SmtpServer::from_url(url).unwrap() };
    let from = "office@toolbox.example".parse().unwrap();
    patient(MailProvider::Smtp(SmtpPool::new(server, from))).send(&letter(1)).await
}

#[tokio::test]
async fn starttls_is_used_where_offered_unless_disabled() {
    let server = server(Tls::Offered(Certificate::new())).await;
    mail(&url(&server, "smtp", "")).send(&letter(1)).await.unwrap();
    assert!(server.letters()[0].encrypted);
    mail(&url(&server, "smtp", "?tls=none")).send(&letter(2)).await.unwrap();
    assert!(!server.letters()[1].encrypted);
}

#[tokio::test]
async fn required_tls_sends_no_email_or_login_to_untrusted_certificate() {
    let certificate = Certificate::new();
    let server = server(Tls::Offered(certificate.clone())).await;
    let url = url(&server, "smtp", "?tls=required");
    let error = mail(&url).send(&letter(1)).await.unwrap_err();
    assert_eq!(
        error,
        SendError::Retry {
            reason: "no trusted encrypted connection to the mail server could be made".into(),
            after: None
        }
    );
    assert!(server.letters().is_empty() && !server.verbs().contains(&"AUTH".to_owned()));
    send_trusting(&certificate, &url).await.unwrap();
    assert!(server.letters()[0].encrypted);
}

#[tokio::test]
async fn required_tls_sends_no_email_to_a_server_without_tls() {
    let server = server(Tls::Never).await;
    let error = mail(&url(&server, "smtp", "?tls=required")).send(&letter(1)).await.unwrap_err();
    assert_eq!(class_of(&error), "SetUp");
    assert_eq!(server.verbs(), ["EHLO"]);
}

#[tokio::test]
async fn implicit_tls_accepts_only_trusted_certificates() {
    let certificate = Certificate::new();
    let server = server(Tls::Implicit(certificate.clone())).await;
    let url = url(&server, "smtps", "");
    let error = mail(&url).send(&letter(1)).await.unwrap_err();
    assert_eq!(error.reason(), "no trusted encrypted connection to the mail server could be made");
    assert!(server.verbs().is_empty());
    send_trusting(&certificate, &url).await.unwrap();
    assert!(server.letters()[0].encrypted);
}
