//! Hundreds of customers' phrases, and what the reader must withstand from any text.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use TextIntent::{Help, Nothing, Pause, Start, Stop};

const OPT_OUTS: &str = include_str!("corpus/opt_outs.txt");
const HARMLESS: &str = include_str!("corpus/harmless.txt");

fn lines(file: &'static str) -> Vec<&'static str> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

fn of(text: &str) -> TextIntent {
    classify_text(text).intent
}

/// Every text reads as `expected`, with a reason in the customer's own words.
fn all(expected: TextIntent, texts: &[&str]) {
    for text in texts {
        let read = classify_text(text);
        assert_eq!(read.intent, expected, "{text}: {read:?}");
        assert_eq!(read.matched.is_some(), expected != Nothing, "{text}: {read:?}");
    }
}

#[test]
fn corpus_opt_outs_are_all_detected() {
    let phrases = lines(OPT_OUTS);
    assert!(phrases.len() >= 1_000, "{}", phrases.len());
    let missed: Vec<_> = phrases.into_iter().filter(|text| !matches!(of(text), Stop | Pause)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn corpus_harmless_replies_never_stop_and_rarely_pause() {
    let replies = lines(HARMLESS);
    assert!(replies.len() >= 1_900, "{}", replies.len());
    let stopped: Vec<_> = replies.iter().filter(|text| of(text) == Stop).collect();
    assert!(stopped.is_empty(), "a certain STOP is never a guess: {stopped:#?}");
    let paused: Vec<_> = replies.iter().filter(|text| of(text) == Pause).collect();
    assert!(paused.len() * 1_000 <= replies.len(), "more than 1 in 1,000: {paused:#?}");
}

/// Lines that the model was not trained on, and that the rules were not written for.
#[test]
fn held_out_corpus_is_heard_at_98_percent_with_at_most_one_percent_false_pauses() {
    let (refusals, ordinary) = classifier::training::load_held_out();
    assert!(refusals.len() >= 350 && ordinary.len() >= 350, "{} and {}", refusals.len(), ordinary.len());
    let read = |text: &str| classify_text_for_business(text, "Acme Plumbing").intent;
    let missed: Vec<_> = refusals.iter().filter(|text| !matches!(read(text), Stop | Pause)).collect();
    let heard = refusals.len() - missed.len();
    let stopped: Vec<_> = ordinary.iter().filter(|text| read(text) == Stop).collect();
    let paused: Vec<_> = ordinary.iter().filter(|text| read(text) == Pause).collect();
    println!("missed {} of {}: {missed:#?}", missed.len(), refusals.len());
    println!("falsely detected {} of {}: {paused:#?}", paused.len(), ordinary.len());
    assert!(stopped.is_empty(), "a certain STOP is never a guess: {stopped:#?}");
    assert!(heard * 100 >= refusals.len() * 98, "{missed:#?}");
    assert!(paused.len() * 100 <= ordinary.len(), "{paused:#?}");
}

/// Measures lists that are not part of the corpus: `target/opt-out/refusals.txt` and `ordinary.txt`, one text a line.
/// `cargo test -p shared --lib measure_lists -- --ignored --nocapture`.
#[test]
#[ignore = "reads two lists of the person who measures"]
fn measure_lists() {
    let of_file = |name: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/opt-out/");
        std::fs::read_to_string(format!("{folder}{name}.txt")).expect("the list is read")
    };
    let (refusals, ordinary) = (of_file("refusals"), of_file("ordinary"));
    let wrong = |list: &str, expected: &dyn Fn(TextIntent) -> bool| -> Vec<String> {
        let unexpected = |text: &&str| !expected(classify_text_for_business(text, "Riverside Plumbing").intent);
        list.lines().filter(unexpected).map(classifier::training::describe_text).collect()
    };
    let missed = wrong(&refusals, &|reading| matches!(reading, Stop | Pause));
    let paused = wrong(&ordinary, &|reading| reading != Pause);
    let stopped = wrong(&ordinary, &|reading| reading != Stop);
    println!("missed {} of {}: {missed:#?}", missed.len(), refusals.lines().count());
    println!("paused {} of {}: {paused:#?}", paused.len(), ordinary.lines().count());
    println!("stopped {}: {stopped:#?}", stopped.len());
}

#[test]
fn business_name_after_stop_is_not_read_as_object() {
    let to = |business: &str, text: &str| classify_text_for_business(text, business).intent;
    for text in ["stop Acme Plumbing", "STOP ACME PLUMBING", "Acme Plumbing stop", "Unsubscribe Acme Plumbing"] {
        assert_eq!(to("Acme Plumbing", text), Stop, "{text}");
    }
    for text in ["stop acme", "Acme, please stop", "take me off Acme's list", "stop @AcmePlumbing"] {
        assert!(matches!(to("Acme Plumbing LLC", text), Stop | Pause), "{text}");
    }
    for (business, text) in [
        ("Acme Plumbing", "can Acme stop by tomorrow"),
        ("Acme Plumbing", "Acme Plumbing came by, thanks"),
        ("The Leak", "stop the leak"),
        ("Leak Plumbing", "stop leak in the bathroom please"),
        ("By Tomorrow LLC", "stop by tomorrow"),
        ("Acme Plumbing", "cancel my Acme appointment"),
    ] {
        assert_eq!(to(business, text), Nothing, "{business}: {text}");
    }
    for business in ["Leak Plumbing", "Water Works", "Stop", "Stop Leak Co", "", "A", "💧", "end"] {
        for text in ["stop leak", "water won't stop", "the end is leaking"] {
            assert_ne!(to(business, text), Stop, "{business}: {text}");
        }
    }
}

#[test]
fn lookalike_letters_markup_and_spacing_are_read_as_stop() {
    for text in [
        "<b>STOP</b>",
        "S<b>T</b>OP",
        "<p>stop</p>",
        "STOP&nbsp;",
        "S&#84;OP",
        "*STOP*",
        "_stop_",
        "**stop**",
        "[stop]",
        "#stop",
        "#STOP",
        "ѕtор",
        "ЅТОР",
        "STΟΡ",
        "𝐒𝐓𝐎𝐏",
        "🅂🅃🄾🄿",
        "🆂🆃🅾🅿",
        "🇸🇹🇴🇵",
        "ⓢⓣⓞⓟ",
        "ꜱᴛᴏᴘ",
        "ＳＴＯＰ",
        "ˢᵗᵒᵖ",
        "S\u{2060}T\u{200d}O\u{3164}P",
        "s\u{e0020}top",
        "S\nT\nO\nP",
        "s,t,o,p",
        "s/t/o/p",
        "S_T_O_P",
        "s...t...o...p",
        "ST0P",
        "5TOP",
        "$TOP",
        "STOPSTOPSTOP",
        "SSTTOOPP",
        "stop-stop-stop",
        "ARRET",
        "arrêt",
    ] {
        assert_eq!(of(text), Stop, "{text:?}");
    }
}

#[test]
fn corpus_has_no_duplicate_or_contradictory_phrase() {
    let mut seen = std::collections::HashSet::new();
    for line in classifier::training::load_written_lines() {
        assert!(seen.insert(line.text.clone()), "{}", line.text);
    }
}

/// The model recognizes the lines it was trained on, except a few that look more like the other side.
#[test]
fn reader_misses_at_most_two_percent_of_written_corpus() {
    let of_folder = classifier::training::load_written_lines().into_iter().filter(|line| line.file.contains('/'));
    let (refusals, ordinary): (Vec<_>, Vec<_>) = of_folder.partition(|line| line.is_refusal);
    assert!(refusals.len() >= 2_000 && ordinary.len() >= 2_000, "{} and {}", refusals.len(), ordinary.len());
    let read =
        |line: &&classifier::training::CorpusLine| classify_text_for_business(&line.text, "Acme Plumbing").intent;
    let missed: Vec<_> =
        refusals.iter().filter(|line| !matches!(read(line), Stop | Pause)).map(|line| &line.text).collect();
    let stopped: Vec<_> = ordinary.iter().filter(|line| read(line) == Stop).map(|line| &line.text).collect();
    let paused: Vec<_> = ordinary.iter().filter(|line| read(line) == Pause).map(|line| &line.text).collect();
    assert!(stopped.is_empty(), "a certain STOP is never a guess: {stopped:#?}");
    assert!(missed.len() * 100 <= refusals.len() * 2, "{missed:#?}");
    assert!(paused.len() * 100 <= ordinary.len(), "{paused:#?}");
}

#[test]
fn keyword_in_any_case_or_punctuation_is_certain_stop() {
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
fn line_break_typed_as_two_characters_hides_no_refusal() {
    for text in [r"STOP\n", r"Stop\nThank you", r"\nSTOP", r"STOP\r\n"] {
        assert_eq!(of(text), Stop, "{text}");
    }
    for text in [
        r"Hi\nplease stop texting me",
        r"Wrong number\nplease don't text me",
        r"Hello.\nTake me off your list\nThanks",
        r"not interested\r\nstop texting me",
    ] {
        assert_eq!(of(text), Pause, "{text}");
        assert_eq!(of(text), of(&text.replace(r"\r", "").replace(r"\n", "\n")), "{text}");
    }
}

#[test]
fn ambiguous_refusal_pauses_for_review() {
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

/// Invitations are worded much like refusals, and the statistical part alone may not tell them apart.
#[test]
fn invitation_to_text_is_not_a_refusal() {
    all(
        Nothing,
        &[
            "I can be texted",
            "Write to this phone",
            "you can text this number",
            "text me",
            "my cell takes messages too",
            "please keep sending updates",
            "put me on your list",
            "don't take me off the list",
            "Unsubscribe? No, I want the reminders",
            "I never got your text",
            "me pueden escribir a este numero",
            "please stop billing my card",
        ],
    );
    all(
        Pause,
        &[
            "I can't be texted, take me off",
            "don't write to this phone",
            "text me again and I'll call a lawyer",
            "you can stop texting this number",
            "please stop sending updates",
            "who put me on your list, remove me",
            "never again",
        ],
    );
}

#[test]
fn trade_vocabulary_is_not_an_opt_out() {
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
fn start_and_help_are_recognized_only_alone() {
    all(Start, &["START", "start", "Unstop", "UNSTOP!", "yes", "YES."]);
    all(Help, &["HELP", "help!", "Info", "ayuda"]);
    all(Nothing, &["start tomorrow", "yes please come", "help my basement is flooding", "info on prices", "need help"]);
}

#[test]
fn longest_texts_are_read_within_time_limit() {
    // Every word begins something that a rule looks for, and nothing ever ends it.
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
        "<b",
        "&#",
        "<b>s</b>",
        "stopstop",
        "stopnomore",
        "st0p ",
        "ѕ",
        "acme ",
        "ééééé",
        "🛑",
        "\u{301}",
        "a,",
    ];
    prepare();
    for piece in pieces {
        let text = piece.repeat(200_000 / piece.len());
        let begun = Instant::now();
        std::hint::black_box(classify_text(&text));
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(5), "{piece:?} took {took:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn reader_never_panics_and_every_detection_has_a_reason(
        text in prop_oneof![
            ".{0,400}",
            "\\PC{0,200}",
            "([a-zA-Z ,.!?'-]{1,12}(stop|text|no|off|list|me|quit|dont|alto|no mas|de)[ ,.]){0,40}",
        ]
    ) {
        let read = classify_text(&text);
        prop_assert_eq!(read.intent == Nothing, read.matched.is_none());
        prop_assert_eq!(super::classify_text(&text), read, "the same text reads the same");
    }

    #[test]
    fn keyword_is_detected_despite_surrounding_marks(
        keyword in prop::sample::select(vec!["stop", "STOP", "Unsubscribe", "quit", "Revoke", "alto", "END"]),
        before in "[ .!\"'(*\u{2026}\u{200b}]{0,5}",
        after in "[ .!\"')*\u{2026}\u{200b}😡🙏]{0,8}",
    ) {
        let text = format!("{before}{keyword}{after}");
        prop_assert_eq!(of(&text), Stop, "{:?}", text);
    }
}
