//! What no text may ever do, whoever typed it: be run, break the check, or fill in anything but itself.

use super::*;

/// Texts of braces, percent signs, quotes and the words of the language, the same in every run.
fn mischief(runs: u64) -> impl Iterator<Item = String> {
    use rand::{RngExt, SeedableRng, rngs::StdRng};
    const PIECES: [&str; 34] = [
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "#}",
        "{",
        "}",
        "%",
        "#",
        "-",
        "+",
        "\"",
        "'",
        "\\",
        "|",
        "(",
        ")",
        ",",
        "==",
        " ",
        "if",
        "endif",
        "else",
        "not",
        "for",
        "raw",
        "customerName",
        "businessName",
        "default",
        "7",
        "é",
        "🙂",
        "\n",
    ];
    (0..runs).map(|seed| {
        let mut rng = StdRng::seed_from_u64(seed);
        let length = rng.random_range(1..24);
        (0..length).map(|_| PIECES[rng.random_range(0..PIECES.len())]).collect()
    })
}

#[test]
fn whatever_a_customer_types_is_printed_as_typed_but_for_links_and_numbers() {
    for words in mischief(2_000) {
        let words = words.replace('\n', " ").trim().to_owned();
        let value = if words.is_empty() { "x".to_owned() } else { words };
        let variables = Variables { customer_name: value.clone(), customer_message: Some(value.clone()), ..ann() };
        let left = typed::without_links(&value);
        let said = |other: &str| if left.is_empty() { other.to_owned() } else { left.clone() };
        assert_eq!(
            fill("<{{ customerName }}|{{ customerMessage }}>", &variables).unwrap(),
            format!("<{}|{}>", said("there"), said("your request"))
        );
    }
}

#[test]
fn no_text_makes_the_check_panic_and_what_it_accepts_can_be_filled_in_without_braces() {
    let mut accepted = 0;
    for body in mischief(4_000) {
        let wording = text(&body);
        let checked = check(Kind::MissedCallNudge, &wording);
        let shown = preview(Kind::MissedCallNudge, &wording, &ann());
        assert_eq!(checked.is_ok(), shown.faults.is_empty(), "{body}");
        if let Ok(checked) = checked {
            accepted += 1;
            for variables in [ann(), Variables::default()] {
                render(Kind::MissedCallNudge, &checked.wording, &variables).unwrap();
            }
        }
        if let Err(faults) = check(Kind::Email, &Wording { subject: Some(body.clone()), ..wording }) {
            assert!(faults.iter().all(|fault| !fault.message.is_empty()));
        }
    }
    assert!(accepted > 100, "the generator finds texts that pass: {accepted}");
}

#[test]
fn deep_and_endless_templates_are_refused_not_run() {
    let bodies = [
        "{% if customerName %}".repeat(70),
        format!("{}x{}", "{% if customerName %}".repeat(40), "{% endif %}".repeat(40)),
        format!("{{{{ {}customerName{} }}}}", "(".repeat(500), ")".repeat(500)),
        format!("{{{{ {} customerName }}}}", "not ".repeat(300)),
        format!("{{{{ customerName{} }}}}", "|upper".repeat(200)),
        "{{".repeat(800),
        "{%".repeat(800),
        "{{ customerName|upper ".repeat(60),
    ];
    for body in bodies {
        assert!(check(Kind::MissedCallNudge, &text(&body)).is_err(), "{body}");
    }
}
