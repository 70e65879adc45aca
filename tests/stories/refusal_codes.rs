//! Refusals: `docs/refusals.md` lists every code with its words, and nothing but the catalogue makes one.

use std::{fs, path::Path};

use serde_json::json;
use shared::{
    conflicts::{ConflictCode, NestedReason, list_former_wordings},
    documents::template::Language,
    platform::db::q,
    providers::sms::SmsProvider,
};
use tests::{both_databases, people::Visitor};

use crate::layers::CRATES;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[test]
fn document_lists_every_refusal_with_its_words() {
    let row = |name: serde_json::Value, [english, spanish]: [&str; 2]| {
        format!("| `{}` | {english} | {spanish} |", name.as_str().unwrap())
    };
    let codes = ConflictCode::ALL.iter().map(|code| {
        row(
            serde_json::to_value(code).unwrap(),
            [Language::En, Language::Es].map(|language| code.template_in(language)),
        )
    });
    let nested = NestedReason::list_all().map(|code| {
        row(
            serde_json::to_value(code).unwrap(),
            [Language::En, Language::Es].map(|language| code.template_in(language)),
        )
    });
    let rows: Vec<String> = codes.chain(nested).collect();
    let document = fs::read_to_string(root().join("docs/refusals.md")).unwrap();
    let listed: Vec<&str> = document.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(listed, rows);
}

fn collect(folder: &Path, sources: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, sources);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
            sources.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

#[test]
fn codes_with_placeholders_are_made_in_catalogue_only_and_every_code_is_used() {
    let mut sources = Vec::new();
    for crate_name in CRATES {
        collect(&root().join(crate_name).join("src"), &mut sources);
    }
    assert!(sources.len() > 300, "the sources are not where they were");
    let outside: Vec<_> = sources.iter().filter(|(name, _)| !name.starts_with("platform/src/conflicts")).collect();
    let filled = sources.iter().find(|(name, _)| name == "platform/src/conflicts/filled.rs").unwrap();
    for code in ConflictCode::ALL {
        let word = format!("ConflictCode::{code:?}");
        let names = |text: &str| {
            text.match_indices(&word)
                .any(|(at, _)| !text[at + word.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_'))
        };
        let is_named = outside.iter().any(|(_, text)| names(text));
        if code.english_text().contains('{') {
            assert!(names(&filled.1) && !is_named, "{word} is filled in `filled.rs` and named nowhere else");
        } else {
            assert!(is_named || names(&filled.1), "nothing refuses with {word}");
        }
    }
    for (name, text) in outside {
        assert!(!text.contains("ApiError::new(ErrorCode::Conflict"), "{name} refuses without a reason");
    }
}

/// A reason whose words change at the place that gives it would be English in Spanish sentences.
#[test]
fn english_words_of_nested_reasons_are_those_of_the_program() {
    let mut sources = Vec::new();
    for crate_name in CRATES {
        collect(&root().join(crate_name).join("src"), &mut sources);
    }
    let outside = sources.iter().filter(|(name, _)| !name.starts_with("platform/src/conflicts"));
    let program: String = outside.map(|(_, text)| text.replace("\\\"", "\"")).collect();
    for code in NestedReason::list_all() {
        let fixed =
            code.template_in(Language::En).split('{').enumerate().map(|(at, part)| match part.split_once('}') {
                Some((_, fixed)) if at > 0 => fixed,
                _ => part,
            });
        for words in fixed.map(|part| part.trim_matches([' ', ',', ';', ':'])).filter(|words| words.len() >= 6) {
            assert!(program.contains(words), "{code:?}: nothing says {words:?}");
        }
    }
}

/// A reason that is reworded again needs its newest words in each line of its former ones.
#[test]
fn present_words_of_former_reasons_are_those_of_the_program() {
    let mut sources = Vec::new();
    for crate_name in CRATES {
        collect(&root().join(crate_name).join("src"), &mut sources);
    }
    let outside = sources.iter().filter(|(name, _)| !name.starts_with("platform/src/conflicts"));
    let program: String = outside.map(|(_, text)| text.as_str()).collect();
    for (former, present) in list_former_wordings() {
        for words in
            present.split("{}").map(|part| part.trim_matches([' ', ';', '(', ')'])).filter(|part| part.len() >= 6)
        {
            assert!(program.contains(words), "{former:?}: nothing says {words:?}");
        }
    }
}

both_databases! {
    async fn reason_stored_in_former_words_is_shown_in_present_ones_and_in_spanish(app) {
        app.use_twilio_at("http://127.0.0.1:9");
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let stored = "UPDATE message SET status = 'not_sent', reason = 'the visit was planned anew'
             WHERE org_id = $1 AND channel = 'sms' AND kind = 'auto_reply'";
        let decided = "UPDATE automation_decision SET reason = 'a new request is answered at once' WHERE org_id = $1";
        for sql in [stored, decided] {
            app.within(async |tx| Ok(q!(tx, execute, sql, shop.id())?)).await.unwrap();
        }
        let shown = owner.get(&format!("/api/leads/{lead}")).await.json();
        let text = shown["messages"].as_array().unwrap().iter().find(|one| one["channel"] == "sms").unwrap().clone();
        assert_eq!(text["statusText"], "not sent: the visit was planned again");
        let decisions = shown["decisions"].as_array().unwrap();
        assert!(decisions.iter().all(|one| one["reason"] == "a new request is answered right away"), "{shown}");
        let path = format!("/api/messages/{}/retry", text["id"].as_str().unwrap());
        assert_eq!(owner.get(&path).await.json()["reason"], "the visit was planned again");
        let refused = owner.with("accept-language", "es").post(&path, &json!({})).await.json();
        assert_eq!(refused["nestedReason"], "visit_replanned", "{refused}");
        assert!(refused["detail"].as_str().unwrap().contains("la visita se planificó de nuevo"), "{refused}");
    }

    async fn refusal_names_its_reason_and_speaks_the_preferred_language(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let path = format!("/api/leads/{lead}/stage");
        let form = json!({"stage": "Paid"});
        for (asked, detail) in [
            ("", "First record the payment: it becomes Paid by that."),
            ("en-US,es;q=0.5", "First record the payment: it becomes Paid by that."),
            ("es-MX,es;q=0.9,en;q=0.8", "Registre primero el pago: con eso pasa a Pagado."),
        ] {
            let client = owner.with("accept-language", asked);
            let refused = client.post(&path, &form).await;
            let problem = refused.json();
            assert_eq!((refused.status.as_u16(), &problem["code"]), (409, &json!("conflict")), "{problem}");
            assert_eq!((&problem["reason"], &problem["detail"]), (&json!("payment_needed_first"), &json!(detail)));
        }
        let missing = owner.get("/api/leads/00000000-0000-0000-0000-000000000000").await.json();
        assert_eq!((&missing["code"], missing.get("reason")), (&json!("not_found"), None));
    }
}
