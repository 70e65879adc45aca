//! Email through a mail server or into files: what is accepted, what is refused, and what stays in doubt.

use std::{path::Path, sync::LazyLock, time::Duration};

use chrono::DateTime;
use shared::{
    platform::{config::EnvVars, email_address::EmailAddress},
    providers::{
        RefusalReason, SendError,
        mail::{EmailMessage, MailConfig, MailProvider, SmtpTimeouts},
    },
};
use tests::{
    addresses::email,
    fake_smtp::{FakeSmtp, Fault, Options, Verb},
};
use tokio::net::TcpListener;
use uuid::Uuid;

pub const TO: &str = "ann@customer.example";

pub fn letter(id: u128) -> EmailMessage<'static> {
    static JOE: LazyLock<EmailAddress> = LazyLock::new(|| email("joe@roofing.example"));
    static ANN: LazyLock<EmailAddress> = LazyLock::new(|| email(TO));
    EmailMessage {
        id: Uuid::from_u128(id),
        date: DateTime::from_timestamp(1_790_000_000, 0).unwrap(),
        from_name: Some("Joe Roofing"),
        reply_to: Some(&JOE),
        to: &ANN,
        subject: "We have your request",
        text: "Hello Ann,\n.\n..two dots\nQUIT\nbye",
        html: Some("<p>Hello Ann</p>"),
        attachments: &[],
        unsubscribe: None,
        pictures: &[],
        is_automatic: true,
    }
}

pub fn mail(url: &str) -> MailProvider {
    let mut vars = EnvVars::from_pairs([("SMTP_URL", url), ("MAIL_FROM", "Toolbox <office@toolbox.example>")]);
    let config = MailConfig::from_vars(&mut vars, Path::new("/nowhere"));
    vars.into_result().unwrap();
    patient(MailProvider::from_config(&config))
}

pub fn patient(mail: MailProvider) -> MailProvider {
    let timeouts = SmtpTimeouts {
        connect: Duration::from_secs(2),
        reply: Duration::from_millis(300),
        content: Duration::from_millis(300),
    };
    match mail {
        MailProvider::Smtp(pool) => MailProvider::Smtp(pool.with_timeouts(timeouts)),
        other => other,
    }
}

pub fn class_of(error: &SendError) -> String {
    assert!(!format!("{error:?}").contains("customer.example"), "{error:?}");
    match error {
        SendError::Unknown { .. } => "unknown".into(),
        SendError::Retry { .. } | SendError::Busy { .. } => "retry".into(),
        SendError::Refused { kind, .. } => format!("{kind:?}"),
        SendError::NotSetUp { .. } => "not set up".into(),
    }
}

fn reply(verb: Verb, reply: &str) -> Fault {
    Fault::Reply { verb, reply: reply.into() }
}

#[tokio::test]
async fn emails_arrive_whole_and_share_a_connection() {
    let server = FakeSmtp::start().await;
    let mail = mail(&server.url());
    for id in 1..=3 {
        let sent = mail.send(&letter(id)).await.unwrap();
        assert_eq!(sent.provider_id, format!("<{}@toolbox.example>", Uuid::from_u128(id)));
        assert_eq!(sent.provider_status.as_deref(), Some("250 2.0.0 queued as FAKE"));
    }
    assert_eq!(server.connections(), 1);
    let letters = server.letters();
    assert_eq!(letters.len(), 3);
    let first = &letters[0];
    assert_eq!((first.from.as_str(), &first.to[..]), ("office@toolbox.example", &[TO.to_owned()][..]));
    assert_eq!(first.header("From"), Some("\"Joe Roofing\" <office@toolbox.example>"));
    assert_eq!(first.header("Reply-To"), Some("joe@roofing.example"));
    assert!(first.raw.contains("Hello Ann,\r\n.\r\n..two dots\r\nQUIT\r\nbye"), "{}", first.raw);
    assert!(first.raw.contains("<p>Hello Ann</p>") && first.raw.ends_with("--\r\n"), "{}", first.raw);
}

#[tokio::test]
async fn smtp_fault_is_classified_and_does_not_affect_later_emails() {
    let mut stories: Vec<(Fault, &str, usize)> = vec![
        (reply(Verb::Rcpt, "451 4.7.1 greylisted, <ann@customer.example> come back later"), "retry", 0),
        (reply(Verb::Dot, "452 4.3.1 no room"), "retry", 0),
        (reply(Verb::Data, "250 2.0.0 what?"), "retry", 0),
        (reply(Verb::Ehlo, "250-half\r\nnonsense"), "retry", 0),
        (reply(Verb::Rcpt, "550 5.1.1 <ann@customer.example> unknown"), "BadAddress", 0),
        (reply(Verb::Rcpt, "554 5.7.1 relay access denied"), "SetUp", 0),
        (reply(Verb::Mail, "530 5.7.0 authentication required"), "SetUp", 0),
        (reply(Verb::Greeting, "554 no service"), "ChannelBroken", 0),
        (reply(Verb::Dot, "554 5.6.0 spam"), "Other", 0),
        (reply(Verb::Dot, "350 go on"), "unknown", 0),
        (Fault::Close { verb: Verb::Dot }, "unknown", 0),
        (Fault::CloseAfterDot { keep: true }, "unknown", 1),
        (Fault::CloseAfterDot { keep: false }, "unknown", 0),
        (Fault::SilenceAfterDot { keep: true }, "unknown", 1),
        (Fault::SilenceAfterDot { keep: false }, "unknown", 0),
        (Fault::Tarpit { millis: 60_000 }, "retry", 0),
    ];
    for verb in [Verb::Greeting, Verb::Ehlo, Verb::Mail, Verb::Rcpt, Verb::Data] {
        stories.push((Fault::Close { verb }, "retry", 0));
        stories.push((reply(verb, "421 4.3.2 shutting down"), "retry", 0));
    }
    stories.push((reply(Verb::Dot, "421 4.3.2 shutting down"), "retry", 0));
    for (fault, class, kept) in stories {
        let server = FakeSmtp::start().await;
        let mail = mail(&server.url());
        server.script(fault.clone());
        let error = mail.send(&letter(1)).await.unwrap_err();
        assert_eq!(class_of(&error), class, "{fault:?}: {error:?}");
        assert_eq!(server.letters().len(), kept, "{fault:?}");
        assert_eq!(server.connections(), 1, "{fault:?}: one attempt is one conversation");
        mail.send(&letter(1)).await.unwrap();
        let ids: Vec<_> = server.letters().iter().map(|l| l.header("Message-ID").map(ToOwned::to_owned)).collect();
        assert_eq!(ids.len(), kept + 1, "{fault:?}");
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    }
}

#[tokio::test]
async fn confirmed_email_counts_as_sent_even_if_the_server_hangs_up() {
    let server = FakeSmtp::start().await;
    let mail = mail(&server.url());
    server.script(Fault::AcceptThenClose);
    mail.send(&letter(1)).await.unwrap();
    mail.send(&letter(2)).await.unwrap();
    assert_eq!((server.letters().len(), server.connections()), (2, 2));
}

#[tokio::test]
async fn stale_connection_is_replaced_silently() {
    let server = FakeSmtp::start().await;
    let mail = mail(&server.url());
    mail.send(&letter(1)).await.unwrap();
    for (n, fault) in [
        Fault::Close { verb: Verb::Noop },
        reply(Verb::Noop, "421 4.4.2 idle too long"),
        Fault::Close { verb: Verb::Mail },
        reply(Verb::Mail, "421 4.7.0 too many letters on this connection"),
        Fault::Close { verb: Verb::Rcpt },
    ]
    .into_iter()
    .enumerate()
    {
        server.script(fault.clone());
        mail.send(&letter(2)).await.unwrap_or_else(|e| panic!("{fault:?}: {e:?}"));
        assert_eq!((server.letters().len(), server.connections()), (n + 2, n + 2), "{fault:?}");
    }
}

#[tokio::test]
async fn send_in_doubt_on_a_reused_connection_is_not_repeated() {
    let server = FakeSmtp::start().await;
    let mail = mail(&server.url());
    mail.send(&letter(1)).await.unwrap();
    server.script(Fault::CloseAfterDot { keep: true });
    let error = mail.send(&letter(2)).await.unwrap_err();
    assert_eq!((class_of(&error).as_str(), server.letters().len(), server.connections()), ("unknown", 2, 1));
}

#[tokio::test]
async fn unreachable_server_is_classified_as_retry() {
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", nobody.local_addr().unwrap());
    drop(nobody);
    for url in [&url, "smtp://no-such-host.invalid:25"] {
        assert_eq!(class_of(&mail(url).send(&letter(1)).await.unwrap_err()), "retry");
    }
}

#[tokio::test]
async fn server_requiring_login_receives_the_credentials() {
    let login = Some(("office@toolbox.example".to_owned(), "pass/word canary".to_owned()));
    let server = FakeSmtp::start_on(0, Options { login, ..Options::default() }).await;
    let at = |user: &str| format!("smtp://{user}127.0.0.1:{}", server.port());
    let right = "office%40toolbox.example:pass%2Fword%20canary@";

    mail(&at(right)).send(&letter(1)).await.unwrap();
    assert_eq!(server.letters().len(), 1);

    let error = mail(&at("office:wrong-canary@")).send(&letter(2)).await.unwrap_err();
    assert!(
        matches!(&error, SendError::Refused { kind: RefusalReason::ChannelBroken, code: Some(535), .. }),
        "{error:?}"
    );
    assert!(!format!("{error} {error:?}").contains("canary"));
    assert_eq!(class_of(&mail(&at("")).send(&letter(3)).await.unwrap_err()), "SetUp");

    server.script(reply(Verb::Auth, "454 4.7.0 not now"));
    assert_eq!(class_of(&mail(&at(right)).send(&letter(4)).await.unwrap_err()), "retry");
    assert_eq!(server.letters().len(), 1);
}

#[tokio::test]
async fn login_unsupported_by_the_server_is_a_setup_error() {
    let server = FakeSmtp::start().await;
    let url = format!("smtp://user:canary@127.0.0.1:{}", server.port());
    let error = mail(&url).send(&letter(1)).await.unwrap_err();
    assert_eq!((class_of(&error).as_str(), server.letters().len()), ("SetUp", 0));
    assert!(!server.verbs().contains(&"AUTH".to_owned()));
}

#[tokio::test]
async fn invalid_address_opens_no_connection() {
    let server = FakeSmtp::start().await;
    let mail = mail(&server.url());
    for to in ["ann", "ann@", "ann@customer.example\r\nRCPT TO:<eve@evil.example>", "a b@customer.example"] {
        assert_eq!(
            class_of(&mail.send(&EmailMessage { to: &email(to), ..letter(1) }).await.unwrap_err()),
            "BadAddress",
            "{to}"
        );
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn email_without_a_server_is_written_to_one_file_even_if_repeated() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("var");
    let mail = MailProvider::from_config(&MailConfig::from_vars(&mut EnvVars::default(), &data_dir));
    assert!(!mail.is_set_up());
    let first = mail.send(&letter(7)).await.unwrap();
    let path = format!("var/mail/{}.eml", Uuid::from_u128(7));
    assert_eq!(first.stored_as.as_deref(), Some(path.as_str()));
    let written = std::fs::read_to_string(home.path().join(&path)).unwrap();
    assert!(written.contains(&first.provider_id) && written.contains("To: ann@customer.example\r\n"), "{written}");
    assert_eq!(mail.send(&letter(7)).await.unwrap(), first);
    assert_eq!(std::fs::read_dir(data_dir.join("mail")).unwrap().count(), 1);
    assert_eq!(std::fs::read_to_string(home.path().join(&path)).unwrap(), written);
}

#[tokio::test]
async fn unwritable_mail_folder_is_classified_as_retry() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("var"), "in the way").unwrap();
    let mail = MailProvider::from_config(&MailConfig::from_vars(&mut EnvVars::default(), &home.path().join("var")));
    assert_eq!(class_of(&mail.send(&letter(1)).await.unwrap_err()), "retry");
}
