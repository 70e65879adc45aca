//! The phrases of customers, by the hundred, and what no text whatever may do to the reader.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use Reading::{Help, Nothing, Pause, Start, Stop};

const OPT_OUTS: &str = include_str!("corpus/opt_outs.txt");
const HARMLESS: &str = include_str!("corpus/harmless.txt");

fn lines(file: &'static str) -> Vec<&'static str> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

fn of(text: &str) -> Reading {
    read(text).reading
}

/// Reads every text as `expected`, and gives the reason in the customer's own words.
fn all(expected: Reading, texts: &[&str]) {
    for text in texts {
        let read = read(text);
        assert_eq!(read.reading, expected, "{text}: {read:?}");
        assert_eq!(read.matched.is_some(), expected != Nothing, "{text}: {read:?}");
    }
}

#[test]
fn every_opt_out_of_the_corpus_is_heard() {
    let phrases = lines(OPT_OUTS);
    assert!(phrases.len() >= 1_000, "{}", phrases.len());
    let missed: Vec<_> = phrases.into_iter().filter(|text| !matches!(of(text), Stop | Pause)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn no_harmless_reply_of_the_corpus_stops_and_hardly_one_pauses() {
    let replies = lines(HARMLESS);
    assert!(replies.len() >= 1_900, "{}", replies.len());
    let stopped: Vec<_> = replies.iter().filter(|text| of(text) == Stop).collect();
    assert!(stopped.is_empty(), "a certain STOP is never a guess: {stopped:#?}");
    let paused: Vec<_> = replies.iter().filter(|text| of(text) == Pause).collect();
    assert!(paused.len() * 1_000 <= replies.len(), "more than 1 in 1,000: {paused:#?}");
}

#[test]
fn the_corpus_names_no_phrase_twice_and_none_on_both_sides() {
    let mut seen = std::collections::HashSet::new();
    for text in lines(OPT_OUTS).into_iter().chain(lines(HARMLESS)) {
        assert!(seen.insert(text), "{text}");
    }
}

#[test]
fn a_keyword_in_any_dress_is_certain() {
    const KEYWORDS: [&str; 19] = [
        "stop",
        "stop all",
        "stopall",
        "unsubscribe",
        "end",
        "quit",
        "revoke",
        "opt out",
        "opt-out",
        "optout",
        "cancel",
        "remove me",
        "no more texts",
        "leave me alone",
        "alto",
        "parar",
        "baja",
        "no más",
        "no mas",
    ];
    for keyword in KEYWORDS {
        let (upper, title) = (keyword.to_uppercase(), keyword[..1].to_uppercase() + &keyword[1..]);
        let dressed = [
            keyword.to_owned(),
            upper.clone(),
            title.clone(),
            format!(" {upper} \n"),
            format!("{title}."),
            format!("{upper}!!!"),
            format!("\"{keyword}\""),
            format!("({upper})"),
            format!("{keyword} 👍"),
            format!("{title}…"),
            format!("¡{upper}!"),
        ];
        for text in dressed {
            assert_eq!(of(&text), Stop, "{text:?}");
        }
    }
    all(
        Stop,
        &["STOP please", "Stop. Thank you", "stop now", "STOP STOP", "s.t.o.p", "Alto, no más", "please unsubscribe"],
    );
}

#[test]
fn what_only_sounds_like_it_pauses_and_a_person_decides() {
    all(
        Pause,
        &[
            "please stop texting me",
            "please don't text me",
            "wrong number",
            "cancel please",
            "not interested, take me off your list",
            "stpo texting",
            "ya no me escriban",
            "quítenme de la lista",
            "stop, I already hired someone",
        ],
    );
}

#[test]
fn the_words_of_the_work_are_nothing_to_it() {
    all(
        Nothing,
        &[
            "",
            "   ",
            "👍",
            "?",
            "can you stop by at 5",
            "please cancel my appointment",
            "the leak won't stop",
            "no thanks I'll call back",
            "end of the week works",
            "alto de la escalera",
            "para el martes",
            "parar la fuga",
            "Yes, cancel it",
            "don't call, text me",
            "Liked “Acme: we got your request. Reply STOP to opt out.”",
            "what does reply STOP mean?",
        ],
    );
}

#[test]
fn start_and_help_are_read_alone_only() {
    all(Start, &["START", "start", "Unstop", "UNSTOP!", "yes", "YES."]);
    all(Help, &["HELP", "help!", "Info", "ayuda"]);
    all(Nothing, &["start tomorrow", "yes please come", "help my basement is flooding", "info on prices", "need help"]);
}

#[test]
fn the_longest_texts_are_read_in_no_time() {
    // Built so that every word begins something that a rule looks for, and nothing ever ends it.
    let pieces = [
        "stop ",
        "stop all the ",
        "dont text the ",
        "no ",
        "please please ",
        "how do i stop all ",
        "i said ",
        "take me off your ",
        "the lawyer text ",
        "unsubscribe from the ",
        "no me manden ",
        "deje de ",
        "s t o p a ",
        "stop, ",
        "stop. ",
        "wrong number for the ",
        "aaaaaaaaaa",
        "ééééé",
        "🛑",
        "\u{301}",
        "a,",
    ];
    prepare();
    for piece in pieces {
        let text = piece.repeat(200_000 / piece.len());
        let begun = Instant::now();
        std::hint::black_box(read(&text));
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(5), "{piece:?} took {took:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_text_breaks_the_reader_and_every_reading_but_nothing_has_its_reason(
        text in prop_oneof![
            ".{0,400}",
            "\\PC{0,200}",
            "([a-zA-Z ,.!?'-]{1,12}(stop|text|no|off|list|me|quit|dont|alto|no mas|de)[ ,.]){0,40}",
        ]
    ) {
        let read = read(&text);
        prop_assert_eq!(read.reading == Nothing, read.matched.is_none());
        prop_assert_eq!(super::read(&text), read, "the same text reads the same");
    }

    #[test]
    fn a_keyword_survives_whatever_marks_stand_around_it(
        keyword in prop::sample::select(vec!["stop", "STOP", "Unsubscribe", "quit", "Revoke", "alto", "END"]),
        before in "[ .!\"'(*\u{2026}\u{200b}]{0,5}",
        after in "[ .!\"')*\u{2026}\u{200b}😡🙏]{0,8}",
    ) {
        let text = format!("{before}{keyword}{after}");
        prop_assert_eq!(of(&text), Stop, "{:?}", text);
    }
}
