//! Both fakes as a process: `fakes --twilio-port 4010 --smtp-port 4025`, steered over the Twilio port.
//!
//! `GET /__ledger` and `GET /__mailbox` show what arrived; `POST /__script` with
//! `{"twilio":[{"fault":"accept_then_reset"}],"smtp":[{"fault":"reply","verb":"rcpt","reply":"451 later"}]}` adds
//! faults; `POST /__reset` forgets everything. Port 0 takes a free one; the addresses are printed.

use std::{env, process::ExitCode};

use axum::{
    Json, Router,
    http::StatusCode,
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};
use tests::{
    fake_smtp::{self, FakeSmtp},
    fake_twilio::{self, FakeTwilio},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Script {
    twilio: Vec<fake_twilio::Fault>,
    smtp: Vec<fake_smtp::Fault>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let (Some(twilio_port), Some(smtp_port)) = (port("--twilio-port"), port("--smtp-port")) else {
        eprintln!("usage: fakes [--twilio-port PORT] [--smtp-port PORT]");
        return ExitCode::from(2);
    };
    let smtp = FakeSmtp::start_on(smtp_port, fake_smtp::Options::default()).await;
    let twilio = FakeTwilio::start_on(twilio_port, |twilio| control(twilio, &smtp)).await;
    println!("twilio {}\nsmtp {}", twilio.url(), smtp.url());
    match tokio::signal::ctrl_c().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("cannot wait for Ctrl-C: {e}");
            ExitCode::FAILURE
        }
    }
}

/// The port behind `flag`, 0 if the flag is not given, nothing if it is no port.
fn port(flag: &str) -> Option<u16> {
    let mut words = env::args().skip(1).skip_while(|word| word != flag);
    match (words.next(), words.next()) {
        (None, _) => Some(0),
        (Some(_), value) => value?.parse().ok(),
    }
}

fn control(twilio: &FakeTwilio, smtp: &FakeSmtp) -> Router {
    let (ledger, mailbox) = (twilio.clone(), smtp.clone());
    let (to_twilio, to_smtp) = (twilio.clone(), smtp.clone());
    let (twilio, smtp) = (twilio.clone(), smtp.clone());
    Router::new()
        .route("/__ledger", get(move || async move { Json(ledger_json(&ledger)) }))
        .route("/__mailbox", get(move || async move { Json(mailbox_json(&mailbox)) }))
        .route(
            "/__script",
            post(move |Json(script): Json<Script>| async move {
                script.twilio.into_iter().for_each(|fault| to_twilio.script(fault));
                script.smtp.into_iter().for_each(|fault| to_smtp.script(fault));
                StatusCode::NO_CONTENT
            }),
        )
        .route(
            "/__reset",
            post(move || async move {
                twilio.reset();
                smtp.reset();
                StatusCode::NO_CONTENT
            }),
        )
}

fn ledger_json(twilio: &FakeTwilio) -> Value {
    json!({ "received": twilio.received(), "requests": twilio.requests() })
}

fn mailbox_json(smtp: &FakeSmtp) -> Value {
    let letters = smtp.letters().into_iter().map(|letter| {
        let (message_id, subject) = (letter.header("Message-ID"), letter.header("Subject"));
        json!({
            "from": letter.from, "to": letter.to, "message_id": message_id, "subject": subject,
            "raw": letter.raw, "encrypted": letter.encrypted, "at_us": letter.at_us,
        })
    });
    json!({ "letters": letters.collect::<Vec<_>>(), "connections": smtp.connections() })
}
