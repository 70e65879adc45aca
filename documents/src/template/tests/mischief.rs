//! Hostile input: no text may be executed, break the check, or change anything but its own rendering.

use super::*;
use crate::recipient_name::first_name;

/// Deterministic random texts of braces, percent signs, quotes and keywords.
fn random_template_texts(runs: u64) -> impl Iterator<Item = String> {
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
fn customer_input_is_rendered_as_first_name_and_message_without_links() {
    for words in random_template_texts(2_000) {
        let words = words.replace('\n', " ").trim().to_owned();
        let value = if words.is_empty() { "x".to_owned() } else { words };
        let variables =
            WordingValues { customer_name: value.clone(), customer_message: Some(value.clone()), ..ann_values() };
        let text_or = |left: String, other: &str| if left.is_empty() { other.to_owned() } else { left };
        assert_eq!(
            render_text("<{{ customerName }}|{{ customerMessage }}>", &variables).unwrap(),
            format!(
                "<{}|{}>",
                text_or(first_name(&value), "there"),
                text_or(typed::strip_links(&value), "your request")
            )
        );
    }
}

#[test]
fn validation_never_panics_and_accepted_text_can_be_rendered() {
    let mut accepted = 0;
    for body in random_template_texts(4_000) {
        let wording = text_wording(&body);
        let checked = validate_wording(TemplateKindName::MissedCallNudge, &wording);
        let shown = render_preview(TemplateKindName::MissedCallNudge, &wording, &ann_values());
        assert_eq!(checked.is_ok(), shown.faults.is_empty(), "{body}");
        if let Ok(checked) = checked {
            accepted += 1;
            for variables in [ann_values(), WordingValues::default()] {
                render_wording(TemplateKindName::MissedCallNudge, &checked.wording, &variables).unwrap();
            }
        }
        if let Err(faults) =
            validate_wording(TemplateKindName::Email, &TemplateWording { subject: Some(body.clone()), ..wording })
        {
            assert!(faults.iter().all(|fault| !fault.message.is_empty()));
        }
    }
    assert!(accepted > 100, "the generator finds texts that pass: {accepted}");
}

#[test]
fn deeply_nested_or_endless_template_is_rejected() {
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
        assert!(validate_wording(TemplateKindName::MissedCallNudge, &text_wording(&body)).is_err(), "{body}");
    }
}
