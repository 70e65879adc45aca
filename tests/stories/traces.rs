//! A request and all that follows from it are found by one id: in the queue, in the log, and in a collector of traces.

use std::time::Duration;

use shared::{platform::db::q, providers::SendError};
use tests::{
    both_databases,
    fake_collector::{CollectedSpan, FakeCollector},
    fake_smtp::FakeSmtp,
    fake_twilio::FakeTwilio,
    http::Multipart,
    processes::{Signal, api, http_client, through, worker},
    test_install::{Business, TestInstall, email, phone},
};
use uuid::Uuid;

const SOON: Duration = Duration::from_secs(20);

fn span<'a>(spans: &'a [CollectedSpan], trace: &str, name: &str) -> &'a CollectedSpan {
    let found = spans.iter().find(|span| span.trace == trace && span.name == name);
    found.unwrap_or_else(|| panic!("no {name} in trace {trace}: {spans:#?}"))
}

fn attributes<'a>(span: &'a CollectedSpan, names: &[&str]) -> Vec<&'a str> {
    names.iter().map(|name| span.attributes.get(*name).map_or("(none)", String::as_str)).collect()
}

/// Sends Ann's form, and returns the id of the request.
async fn asks(url: &str) -> String {
    let form = reqwest::multipart::Form::new();
    let form = form.text("name", "Visitor-canary").text("phone", phone(1)).text("email", email(1));
    let form = form.text("service", "plumbing").text("zip", "78701");
    let answer = http_client().post(format!("{url}/api/leads/create")).multipart(form).send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 201);
    answer.headers()["x-request-id"].to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn request_task_and_provider_call_are_spans_of_one_trace() {
    let (twilio, smtp, collector) = (FakeTwilio::start().await, FakeSmtp::start().await, FakeCollector::start().await);
    let install = TestInstall::sqlite();
    let mut env = through(&twilio, &smtp);
    env.push(collector.var());
    env.push(("RUST_LOG".to_owned(), "info,worker=debug".to_owned()));
    let mut api = api(&install, &env).await;
    let mut worker = worker(&install, &env).await;
    let db = install.open().await;
    let org = Business::open(&db, "Acme").await.profile.org.id.to_string();
    db.close().await;
    let request_id = asks(&api.url).await;
    tokio::time::timeout(SOON, twilio.wait_for_requests(1)).await.expect("a text");
    // A stop ends what runs, then sends the last spans.
    for program in [&mut worker, &mut api.program] {
        program.tell(Signal::Term);
        assert!(program.ended(SOON).await.success(), "{}", program.log());
    }
    let spans = collector.spans();
    let request = span(&spans, &request_id, "POST /api/leads/create");
    assert_eq!((request.service.as_str(), &request.parent), ("toolbox-api", &None));
    let named = ["request_id", "http.route", "org", "http.response.status_code"];
    assert_eq!(attributes(request, &named), [request_id.as_str(), "/api/leads/create", org.as_str(), "201"]);
    let is_its_write = |span: &&CollectedSpan| span.name == "transaction" && span.parent.as_ref() == Some(&request.id);
    let write = spans.iter().filter(is_its_write).find(|span| span.attributes["committed"] == "true");
    let write = write.expect("the transaction of the request");
    assert!(write.attributes["statements"] != "0" && write.attributes.contains_key("held_ms"), "{write:?}");
    let task = span(&spans, &request_id, "task send_message");
    assert_eq!((task.service.as_str(), task.parent.as_ref()), ("toolbox-worker", Some(&request.id)));
    let named = ["request_id", "kind", "attempt", "org", "outcome"];
    assert_eq!(attributes(task, &named), [request_id.as_str(), "send_message", "1", org.as_str(), "done"]);
    assert!(task.attributes.contains_key("queue_wait_ms"), "{task:?}");
    let call = span(&spans, &request_id, "twilio create message");
    assert_eq!(call.parent.as_ref(), Some(&task.id));
    assert_eq!(
        attributes(call, &["provider", "operation", "http.response.status_code"]),
        ["twilio", "create message", "201"]
    );
    let exported = format!("{spans:?}");
    assert!(
        ![phone(1), email(1), "canary".to_owned()].iter().any(|personal| exported.contains(personal)),
        "{exported}"
    );
    let log = worker.log();
    let ended = log.lines().find(|line| line.contains("the task ended") && line.contains(&request_id));
    assert!(ended.is_some_and(|line| line.contains("task{")), "{log}");
}

both_databases! {
    async fn tasks_carry_the_request_that_queued_them_and_pass_it_on(app) {
        let shop = app.org("Acme Plumbing").await;
        // The task of a text in doubt queues a look at the provider's list.
        app.sms.queue_answer(Err(SendError::Unknown { reason: "no answer came".to_owned() }));
        let answer = app.client().post_form("/api/leads/create", Multipart::ann(&shop.id().to_string())).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
        app.run_tasks().await;
        let sql = "SELECT DISTINCT kind, request_id FROM task WHERE kind IN ('send_message', 'reconcile_delivery') ORDER BY kind";
        let mut conn = app.db.acquire_reader().await.unwrap();
        let tasks = q!(&mut conn, fetch_all as (String, Option<Uuid>), sql).unwrap();
        let id = Uuid::parse_str(answer.header("x-request-id")).unwrap();
        assert_eq!(tasks, [("reconcile_delivery".to_owned(), Some(id)), ("send_message".to_owned(), Some(id))]);
    }
}
