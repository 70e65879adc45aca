//! Our documents against those of Twilio's own package.

use std::collections::BTreeMap;

use super::*;

const MARKS: &str = "Ann & \"Bob's\" <pipes> ]]> 100 % & more";
const ADDRESS: &str = "https://toolbox.example/webhooks/twilio/voice/accept?call=CA1&to=%2B1512&q=\"<'>";

#[derive(serde::Deserialize)]
struct File {
    about: String,
    documents: BTreeMap<String, String>,
}

fn phone(number: &str) -> Number {
    Number {
        number: number.into(),
        url: Some(ADDRESS.into()),
        status_callback: Some("https://toolbox.example/s?a=1&b=2".into()),
        events: vec![CallEvent::Initiated, CallEvent::Ringing, CallEvent::Answered, CallEvent::Completed],
    }
}

fn ring_two() -> Dial {
    Dial {
        timeout: Some(20),
        action: Some("https://toolbox.example/webhooks/twilio/voice/status".into()),
        caller_id: Some("+15125550100".into()),
        answer_on_bridge: true,
        numbers: vec![phone("+15125550111"), phone("+15125550112")],
        ..Dial::default()
    }
}

fn screen() -> Gather {
    Gather {
        digits: 1,
        action: ADDRESS.into(),
        timeout: Some(8),
        prompts: vec![Say::new(MARKS).voice("Polly.Joanna").language("en-US"), Say::new("Oprima 1.").language("es-US")],
    }
}

fn plain() -> Dial {
    let numbers = vec![Number { number: "+15125550111".into(), ..Number::default() }];
    Dial { timeout: Some(10), numbers, ..Dial::default() }
}

fn ours() -> Vec<(&'static str, Response)> {
    let new = Response::new;
    let lines = "a\nb\tc\rd\"e&f<g>'";
    vec![
        ("empty", new()),
        ("say", new().say(Say::new("Please hold."))),
        ("say with a voice", new().say(Say::new(MARKS).voice("Polly.Lupe").language("es-US"))),
        ("say in other scripts", new().say(Say::new("¡Hola, José! 明日 🚿"))),
        ("say lines", new().say(Say::new("one\ntwo\tthree"))),
        ("say nothing", new().say(Say::new(""))),
        ("say what looks like marks", new().say(Say::new("&amp; &#65; <Hangup/>"))),
        ("hang up", new().hangup()),
        ("reject", new().reject(None)),
        ("reject as busy", new().reject(Some(Reason::Busy))),
        ("reject as rejected", new().reject(Some(Reason::Rejected))),
        ("pause", new().pause(3)),
        ("redirect", new().redirect(ADDRESS)),
        ("ring two phones", new().dial(ring_two())),
        ("ring a phone plainly", new().dial(plain())),
        ("ring nobody", new().dial(Dial { time_limit: Some(60), ..Dial::default() })),
        ("screen", new().gather(screen()).hangup()),
        ("say, then hang up", new().say(Say::new("Goodbye.")).hangup()),
        ("answer a text", new().message("Thanks & see you <soon>")),
        ("attributes with lines", new().dial(Dial { action: Some(lines.into()), ..Dial::default() })),
    ]
}

#[test]
fn our_documents_are_those_of_twilios_package() {
    let file: File = serde_json::from_str(include_str!("vectors.json")).unwrap();
    assert!(file.about.contains("twilio 9.13.0"), "{}", file.about);
    let ours = ours();
    assert_eq!(ours.len(), file.documents.len(), "a document without its pair");
    for (name, response) in ours {
        assert_eq!(Some(&response.to_xml()), file.documents.get(name), "{name}");
    }
}

#[test]
fn what_xml_cannot_hold_is_left_out() {
    let said = Response::new().say(Say::new("a\0b\u{1b}c\u{FFFE}d\re")).to_xml();
    assert!(said.ends_with("<Say>abcd&#13;e</Say></Response>"), "{said}");
}
