//! Comparison with the documents of Twilio's own package.

use std::collections::BTreeMap;

use super::*;

const MARKS: &str = "Ann & \"Bob's\" <pipes> ]]> 100 % & more";
const ADDRESS: &str = "https://toolbox.example/webhooks/twilio/voice/accept?call=CA1&to=%2B1512&q=\"<'>";

#[derive(serde::Deserialize)]
struct TwimlVectors {
    about: String,
    documents: BTreeMap<String, String>,
}

fn dial_number(number: &str) -> DialNumber {
    DialNumber {
        number: number.into(),
        url: Some(ADDRESS.into()),
        status_callback: Some("https://toolbox.example/s?a=1&b=2".into()),
        events: vec![CallEvent::Initiated, CallEvent::Ringing, CallEvent::Answered, CallEvent::Completed],
    }
}

fn dial_two_phones() -> Dial {
    Dial {
        timeout: Some(20),
        action: Some("https://toolbox.example/webhooks/twilio/voice/status".into()),
        caller_id: Some("+15125550100".into()),
        answer_on_bridge: true,
        numbers: vec![dial_number("+15125550111"), dial_number("+15125550112")],
        ..Dial::default()
    }
}

fn screening_gather() -> Gather {
    Gather {
        digits: 1,
        action: ADDRESS.into(),
        timeout: Some(8),
        prompts: vec![
            Say::new(MARKS).with_voice("Polly.Joanna").with_language("en-US"),
            Say::new("Oprima 1.").with_language("es-US"),
        ],
    }
}

fn plain_dial() -> Dial {
    let numbers = vec![DialNumber { number: "+15125550111".into(), ..DialNumber::default() }];
    Dial { timeout: Some(10), numbers, ..Dial::default() }
}

fn rendered_documents() -> Vec<(&'static str, TwimlResponse)> {
    let new = TwimlResponse::new;
    let lines = "a\nb\tc\rd\"e&f<g>'";
    vec![
        ("empty", new()),
        ("say", new().say(Say::new("Please hold."))),
        ("say with a voice", new().say(Say::new(MARKS).with_voice("Polly.Lupe").with_language("es-US"))),
        ("say in other scripts", new().say(Say::new("¡Hola, José! 明日 🚿"))),
        ("say lines", new().say(Say::new("one\ntwo\tthree"))),
        ("say nothing", new().say(Say::new(""))),
        ("say what looks like marks", new().say(Say::new("&amp; &#65; <Hangup/>"))),
        ("hang up", new().hangup()),
        ("reject", new().reject(None)),
        ("reject as busy", new().reject(Some(RejectReason::Busy))),
        ("reject as rejected", new().reject(Some(RejectReason::Rejected))),
        ("pause", new().pause(3)),
        ("redirect", new().redirect(ADDRESS)),
        ("ring two phones", new().dial(dial_two_phones())),
        ("ring a phone plainly", new().dial(plain_dial())),
        ("ring nobody", new().dial(Dial { time_limit: Some(60), ..Dial::default() })),
        ("screen", new().gather(screening_gather()).hangup()),
        ("say, then hang up", new().say(Say::new("Goodbye.")).hangup()),
        ("answer a text", new().message("Thanks & see you <soon>")),
        ("attributes with lines", new().dial(Dial { action: Some(lines.into()), ..Dial::default() })),
    ]
}

#[test]
fn documents_equal_those_of_the_twilio_package() {
    let file: TwimlVectors = serde_json::from_str(include_str!("vectors.json")).unwrap();
    assert!(file.about.contains("twilio 9.13.0"), "{}", file.about);
    let ours = rendered_documents();
    assert_eq!(ours.len(), file.documents.len(), "a document without its pair");
    for (name, response) in ours {
        assert_eq!(Some(&response.to_xml()), file.documents.get(name), "{name}");
    }
}

#[test]
fn characters_invalid_in_xml_are_removed() {
    let xml = TwimlResponse::new().say(Say::new("a\0b\u{1b}c\u{FFFE}d\re")).to_xml();
    assert!(xml.ends_with("<Say>abcd&#13;e</Say></Response>"), "{xml}");
}
