//! The fakes as a process: `fakes --twilio-port 4010 --smtp-port 4025`, controlled over the Twilio port. Stripe's
//! fake takes a free port.
//!
//! `GET /__ledger` and `GET /__mailbox` show what arrived; `POST /__script` with
//! `{"twilio":[{"fault":"accept_then_reset"}],"smtp":[{"fault":"reply","verb":"rcpt","reply":"451 later"}]}` adds
//! faults; `POST /__reset` clears everything. Port 0 takes a free one; the addresses are printed.
//!
//! The account at Twilio has the number of `TWILIO_FROM`; `POST /__number` with `{"number":"+15125550100","can_text":true}`
//! gives it another. `GET /2010-04-01/Accounts/{sid}/IncomingPhoneNumbers.json` lists them.
//!
//! Calls from Twilio to the product, each with `"product":{"base":"http://127.0.0.1:8080"}` as its address:
//! `POST /__text` with `"text":{"from","to","body","pictures":[{"content_type","base64"}],"opt_out_type"}`,
//! `POST /__call` with `"call":{"from","to","legs":[{"number","pickup":"human","after":5,"presses":"1","talks":60}],`
//! `"caller_hangs_up_after"}`, `POST /__report` with `"report":{"sid","status":"delivered","code"}`; and
//! Stripe's: `POST /__paid` with `{"product":{"base"},"subscription":"sub_1"}` lets the payment of a subscription arrive,
//! and tells the product so; `GET /__subscriptions` shows them all.
//! `POST /__reporting` with `{"product","after_the_answer":["sent","delivered"]}` (or `null`) for every text from then on.

use std::{env, process::ExitCode};

use axum::{
    Json, Router,
    http::StatusCode,
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};
use shared::platform::clock::Clock;
use tests::{
    fake_smtp::{self, FakeSmtp},
    fake_stripe::FakeStripe,
    fake_twilio::{self, Call, FakeTwilio, InboundText, Product, Report, Reporting},
    long_email, processes,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Script {
    twilio: Vec<fake_twilio::Fault>,
    smtp: Vec<fake_smtp::Fault>,
}

#[derive(Deserialize)]
struct ToSend {
    product: Product,
    text: InboundText,
}

#[derive(Deserialize)]
struct ToRing {
    product: Product,
    call: Call,
}

#[derive(Deserialize)]
struct ToPay {
    product: Base,
    subscription: String,
}

#[derive(Deserialize)]
struct ToOwn {
    number: String,
    can_text: bool,
}

#[derive(Deserialize)]
struct Base {
    base: String,
}

#[derive(Deserialize)]
struct ToReport {
    product: Product,
    report: Report,
}

const HELP: &str = "\
usage: fakes [--twilio-port PORT] [--smtp-port PORT]
       fakes emails

Twilio, a mail server and Stripe for trying Toolbox out. A port that is not given is a free one; the addresses are
printed. Ends on Ctrl-C. `emails` prints emails with long values as JSON and ends.";

#[tokio::main]
async fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    if words.iter().any(|word| matches!(word.as_str(), "help" | "--help" | "-h")) {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    if words == ["emails"] {
        println!("{}", json!(long_email::render_long_emails()));
        return ExitCode::SUCCESS;
    }
    let [twilio_port, smtp_port] = match ports(&words) {
        Ok(ports) => ports,
        Err(why) => {
            eprintln!("{why}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let smtp = FakeSmtp::start_on(smtp_port, fake_smtp::Options::default()).await;
    let stripe = FakeStripe::start().await;
    let twilio = FakeTwilio::start_on(twilio_port, |twilio| control(twilio, &smtp).merge(payments(&stripe))).await;
    twilio.owns(fake_twilio::FROM, true);
    println!("twilio {}\nsmtp {}\nstripe {}", twilio.url(), smtp.url(), stripe.url());
    match tokio::signal::ctrl_c().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("cannot wait for Ctrl-C: {e}");
            ExitCode::FAILURE
        }
    }
}

/// The ports of `--twilio-port` and `--smtp-port`, 0 when not given.
fn ports(words: &[String]) -> Result<[u16; 2], String> {
    let mut ports = [0; 2];
    let mut words = words.iter();
    while let Some(flag) = words.next() {
        let place = match flag.as_str() {
            "--twilio-port" => 0,
            "--smtp-port" => 1,
            _ => return Err(format!("unknown flag: {flag}")),
        };
        let port = words.next().and_then(|port| port.parse().ok());
        ports[place] = port.ok_or_else(|| format!("{flag} needs a port"))?;
    }
    Ok(ports)
}

fn control(twilio: &FakeTwilio, smtp: &FakeSmtp) -> Router {
    let (ledger, mailbox) = (twilio.clone(), smtp.clone());
    let (to_twilio, to_smtp) = (twilio.clone(), smtp.clone());
    let calls = calls(twilio);
    let owner = twilio.clone();
    let (twilio, smtp) = (twilio.clone(), smtp.clone());
    Router::new()
        .merge(calls)
        .route(
            "/__number",
            post(move |Json(ToOwn { number, can_text })| async move {
                owner.owns(&number, can_text);
                StatusCode::NO_CONTENT
            }),
        )
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
                twilio.owns(fake_twilio::FROM, true);
                smtp.reset();
                StatusCode::NO_CONTENT
            }),
        )
}

/// A payment arrives at Stripe, with its event to the product.
fn payments(stripe: &FakeStripe) -> Router {
    let (paid, shown) = (stripe.clone(), stripe.clone());
    Router::new()
        .route("/__paid", post(move |Json(wish): Json<ToPay>| async move { Json(pay(&paid, wish).await) }))
        .route(
            "/__subscriptions",
            get(move || async move {
                let all = shown.subscriptions().into_iter();
                let drawn = all.map(|one| json!({"id": one.id, "status": one.status, "first": one.first}));
                Json(json!(drawn.collect::<Vec<_>>()))
            }),
        )
}

async fn pay(stripe: &FakeStripe, ToPay { product, subscription }: ToPay) -> Value {
    let now = Clock::System.now();
    stripe.is_paid(&subscription, now);
    let (body, signature) = stripe.subscription_event("customer.subscription.updated", &subscription, now);
    let request = processes::http_client().post(format!("{}/webhooks/stripe", product.base));
    let request = request.header("stripe-signature", signature).header("content-type", "application/json").body(body);
    match request.send().await {
        Ok(answer) => json!({"status": answer.status().as_u16()}),
        Err(e) => json!({"error": e.to_string()}),
    }
}

fn calls(twilio: &FakeTwilio) -> Router {
    let (texts, rings, reports, reporting) = (twilio.clone(), twilio.clone(), twilio.clone(), twilio.clone());
    Router::new()
        .route(
            "/__text",
            post(move |Json(ToSend { product, text })| async move {
                Json(texts.hooks(product).inbound_text(&text).await)
            }),
        )
        .route(
            "/__call",
            post(move |Json(ToRing { product, call })| async move { Json(rings.hooks(product).call(&call).await) }),
        )
        .route(
            "/__report",
            post(move |Json(ToReport { product, report })| async move {
                Json(reports.hooks(product).report(&report).await)
            }),
        )
        .route(
            "/__reporting",
            post(move |Json(by_itself): Json<Option<Reporting>>| async move {
                reporting.report_by_itself(by_itself);
                StatusCode::NO_CONTENT
            }),
        )
}

fn ledger_json(twilio: &FakeTwilio) -> Value {
    json!({ "received": twilio.received(), "requests": twilio.requests(), "messages": twilio.messages() })
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
